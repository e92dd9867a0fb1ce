//! Reads the weighted lists of `Accept-Encoding` and `Accept-Language` (RFC 9110 §12.4.2).

/// Each item of the list with its weight in thousandths; an item without a weight has 1000, a malformed weight is 0.
pub(crate) fn weighted(header: &str) -> impl Iterator<Item = (&str, u16)> {
    header.split(',').filter_map(|item| {
        let mut fields = item.split(';').map(str::trim);
        let name = fields.next().filter(|name| !name.is_empty())?;
        let weight = fields.find_map(weight).map_or(1000, |value| thousandths(value).unwrap_or(0));
        Some((name, weight))
    })
}

fn weight(field: &str) -> Option<&str> {
    let (name, value) = field.split_once('=')?;
    name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
}

/// `0`, `1`, `0.5`, `1.000`: at most three decimals and not above one.
fn thousandths(value: &str) -> Option<u16> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || decimals.len() > 3 || !digits(decimals) {
        return None;
    }
    let total: u16 = format!("{whole}{decimals:0<3}").parse().ok()?;
    (total <= 1000).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::weighted;

    #[test]
    fn weights_are_read_and_malformed_ones_refuse() {
        let cases: [(&str, &[(&str, u16)]); 8] = [
            ("", &[]),
            (" , ,", &[]),
            ("gzip", &[("gzip", 1000)]),
            ("gzip;q=0, br ; Q=0.5", &[("gzip", 0), ("br", 500)]),
            ("gzip;q=1.000, *;q=0.001", &[("gzip", 1000), ("*", 1)]),
            ("gzip;q=1.001", &[("gzip", 0)]),
            ("gzip;q=-1, br;q=", &[("gzip", 0), ("br", 0)]),
            ("text;level=1;q=0.25", &[("text", 250)]),
        ];
        for (header, expected) in cases {
            assert_eq!(weighted(header).collect::<Vec<_>>(), expected, "{header:?}");
        }
    }
}
