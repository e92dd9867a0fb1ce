-- Version 4: nothing yet.
SELECT 1;
