//! Isolation, faults and order.
