//! Checks that pages render in every form and that nothing given to them becomes markup.

use super::*;

const HOSTILE: &str = "</script><script>alert(1)</script><!--\"'&\u{2028}";

fn boot() -> Boot {
    Boot {
        version: "1.2.3".to_owned(),
        boot_id: "b1".to_owned(),
        theme: Theme::System,
        lang: Lang::En,
        limits: Limits { max_frame_bytes: 1_048_576, max_message_chars: 200_000 },
        needs_login: false,
    }
}

fn boot_json(page: &str) -> &str {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"boot\">").unwrap();
    rest.split_once("</script>").unwrap().0
}

/// All pages in both languages and all themes.
fn every_page() -> Vec<String> {
    let mut pages = Vec::new();
    for lang in [Lang::En, Lang::ZhCn] {
        for theme in [Theme::Light, Theme::Dark, Theme::System] {
            pages.push(shell(&Boot { theme, lang, ..boot() }).unwrap());
            for problem in [
                None,
                Some(LoginProblem::WrongToken),
                Some(LoginProblem::TooManyAttempts { retry_after_s: 1 }),
                Some(LoginProblem::Expired),
            ] {
                pages.push(login(&LoginPage { next: "/s/1", problem, theme, lang }).unwrap());
            }
            for status in [400, 401, 403, 404, 405, 413, 418, 429, 500, 502, 503] {
                pages.push(error(&ErrorPage { status, code: "some_code", theme, lang }).unwrap());
            }
        }
    }
    pages
}

#[test]
fn pages_hold_no_inline_code() {
    for page in every_page() {
        let lower = page.to_lowercase();
        assert!(lower.starts_with("<!doctype html>\n<html lang=\""), "{page}");
        assert!(!lower.contains("<style") && !lower.contains(" style=") && !lower.contains("javascript:"), "{page}");
        let handler = lower.split('<').any(|tag| tag.split('>').next().is_some_and(|tag| tag.contains(" on")));
        assert!(!handler, "{page}");
        for script in lower.split("<script").skip(1) {
            let opening = script.split('>').next().unwrap();
            assert!(
                opening.contains(" src=\"/static/") || opening == " type=\"application/json\" id=\"boot\"",
                "{page}"
            );
        }
    }
}

#[test]
fn only_a_chosen_theme_is_an_attribute() {
    for (theme, attribute, scheme) in [
        (Theme::Light, Some(" data-theme=\"light\""), "content=\"light\""),
        (Theme::Dark, Some(" data-theme=\"dark\""), "content=\"dark\""),
        (Theme::System, None, "content=\"light dark\""),
    ] {
        let page = shell(&Boot { theme, ..boot() }).unwrap();
        match attribute {
            Some(attribute) => assert!(page.contains(&format!("<html lang=\"en\"{attribute}>")), "{page}"),
            None => assert!(page.contains("<html lang=\"en\">"), "{page}"),
        }
        assert!(page.contains(&format!("<meta name=\"color-scheme\" {scheme}>")), "{page}");
    }
}

#[test]
fn boot_data_is_what_the_app_reads() {
    let page = shell(&Boot { theme: Theme::Dark, lang: Lang::ZhCn, needs_login: true, ..boot() }).unwrap();
    let data: serde_json::Value = serde_json::from_str(boot_json(&page)).unwrap();
    assert_eq!(
        data,
        serde_json::json!({
            "version": "1.2.3",
            "boot_id": "b1",
            "theme": "dark",
            "lang": "zh-CN",
            "limits": { "max_frame_bytes": 1_048_576, "max_message_chars": 200_000 },
            "needs_login": true,
        })
    );
}

#[test]
fn boot_data_cannot_leave_its_element() {
    let page = shell(&Boot { version: HOSTILE.to_owned(), boot_id: HOSTILE.to_owned(), ..boot() }).unwrap();
    let clean = shell(&boot()).unwrap();
    assert_eq!(page.matches("<script").count(), clean.matches("<script").count());
    let json = boot_json(&page);
    assert!(!json.contains(['<', '>', '&']), "{json}");
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["version"], HOSTILE);
}

#[test]
fn shell_loads_versioned_files_and_the_imports_of_main() {
    let page = shell(&boot()).unwrap();
    for path in ["app/main.css", "app/main.js"] {
        assert!(page.contains(&format!("\"{}\"", asset_url(path))), "{page}");
    }
    for import in IMPORTS.iter() {
        assert!(page.contains(&format!("<link rel=\"modulepreload\" href=\"{import}\">")), "{page}");
    }
    assert!(page.contains("<div id=\"app\">") && page.contains("<noscript>"), "{page}");
    assert_eq!(page.contains("rel=\"icon\""), asset("icon.svg", None).is_some());
}

#[test]
fn only_static_imports_are_announced() {
    let source = "import {\n  a\n} from \"./shared-3.js\";\nimport \"./shared.js\";\nimport { b } from \"./b.js\";\n\
        var c = () => import(\"./pages.js\");\nconst d = \"./d.js\";\nlog('from \"./e.js\"');\n";
    assert_eq!(static_imports(source).collect::<Vec<_>>(), ["shared-3.js", "shared.js", "b.js"]);
}

#[test]
fn login_works_without_script() {
    let page = login(&LoginPage { next: "/s/1?b=2", ..LoginPage::default() }).unwrap();
    assert!(page.contains("<form method=\"post\" action=\"/login\">"), "{page}");
    assert!(page.contains("<input type=\"hidden\" name=\"next\" value=\"/s/1?b=2\">"), "{page}");
    assert!(page.contains("name=\"token\" type=\"password\""), "{page}");
    assert!(!page.contains("<script") && !page.contains("role=\"alert\""), "{page}");
    assert!(page.contains(&asset_url("pages.css")), "{page}");
}

#[test]
fn login_says_what_went_wrong() {
    for (lang, problem, sentence) in [
        (Lang::En, LoginProblem::WrongToken, "This token is not valid."),
        (Lang::En, LoginProblem::TooManyAttempts { retry_after_s: 30 }, "Try again in 30 seconds."),
        (Lang::ZhCn, LoginProblem::TooManyAttempts { retry_after_s: 30 }, "请在 30 秒后重试"),
        (Lang::ZhCn, LoginProblem::Expired, "请重新登录"),
    ] {
        let page = login(&LoginPage { problem: Some(problem), lang, ..LoginPage::default() }).unwrap();
        assert!(page.contains(sentence) && page.contains("role=\"alert\""), "{page}");
        assert!(page.contains("aria-describedby=\"problem hint\""), "{page}");
    }
}

#[test]
fn login_leads_only_to_this_server() {
    for local in ["/", "/s/1", "/s/1?b=2#m-3", "/settings/models", "/loginx", "/s/会话"] {
        assert_eq!(safe_next(local), local);
    }
    for foreign in [
        "",
        "s/1",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        " /s/1",
        "/login",
        "/login?next=/login",
    ] {
        assert_eq!(safe_next(foreign), "/", "{foreign:?}");
    }
}

#[test]
fn given_text_is_escaped() {
    let next = format!("/s/1?q={HOSTILE}");
    let page = login(&LoginPage { next: &next, ..LoginPage::default() }).unwrap();
    assert!(!page.contains("<script") && !page.contains("\"'&"), "{page}");
    let page = error(&ErrorPage { status: 404, code: HOSTILE, theme: Theme::System, lang: Lang::En }).unwrap();
    assert!(!page.contains("<script") && !page.contains("<!--"), "{page}");
}

#[test]
fn error_names_status_sentence_and_code() {
    let page = error(&ErrorPage { status: 404, code: "not_found", theme: Theme::Dark, lang: Lang::ZhCn }).unwrap();
    assert!(page.contains("<title>页面不存在 · nanobot</title>") && page.contains("404 · not_found"), "{page}");
    assert!(page.contains("href=\"/\""), "{page}");
    let page = error(&ErrorPage { status: 401, code: "unauthorized", theme: Theme::System, lang: Lang::En }).unwrap();
    assert!(page.contains("href=\"/login\""), "{page}");
}
