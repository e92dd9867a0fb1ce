//! The sentences of the rendered pages, in each language. The app brings its own.

use crate::pages::LoginProblem;
use crate::preferences::Lang;

/// Fixed words of the pages.
pub(crate) struct Words {
    pub(crate) login_title: &'static str,
    pub(crate) login_hint: &'static str,
    pub(crate) token: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) go_home: &'static str,
    pub(crate) needs_script: &'static str,
}

const ENGLISH: Words = Words {
    login_title: "Sign in",
    login_hint: "This server asks for an access token. Whoever runs it can give you one.",
    token: "Access token",
    sign_in: "Sign in",
    go_home: "Go to the start page",
    needs_script: "This page needs JavaScript. Turn it on and reload the page.",
};

const CHINESE: Words = Words {
    login_title: "登录",
    login_hint: "此服务器需要访问令牌，请向服务器的管理者索取。",
    token: "访问令牌",
    sign_in: "登录",
    go_home: "返回首页",
    needs_script: "此页面需要 JavaScript，请启用后重新加载。",
};

pub(crate) fn words(lang: Lang) -> &'static Words {
    match lang {
        Lang::En => &ENGLISH,
        Lang::ZhCn => &CHINESE,
    }
}

pub(crate) fn login_problem(lang: Lang, problem: LoginProblem) -> String {
    match (lang, problem) {
        (Lang::En, LoginProblem::WrongToken) => "This token is not valid. Check it and try again.".to_owned(),
        (Lang::ZhCn, LoginProblem::WrongToken) => "令牌无效，请检查后重试。".to_owned(),
        (Lang::En, LoginProblem::TooManyAttempts { retry_after_s: 1 }) => {
            "Too many attempts. Try again in 1 second.".to_owned()
        }
        (Lang::En, LoginProblem::TooManyAttempts { retry_after_s }) => {
            format!("Too many attempts. Try again in {retry_after_s} seconds.")
        }
        (Lang::ZhCn, LoginProblem::TooManyAttempts { retry_after_s }) => {
            format!("尝试次数过多，请在 {retry_after_s} 秒后重试。")
        }
        (Lang::En, LoginProblem::Expired) => "Your session has expired. Sign in again.".to_owned(),
        (Lang::ZhCn, LoginProblem::Expired) => "登录已过期，请重新登录。".to_owned(),
    }
}

/// What a status means to a reader: a title and a sentence that says what to do.
pub(crate) fn status(lang: Lang, status: u16) -> (&'static str, &'static str) {
    match lang {
        Lang::En => match status {
            400 => ("Bad request", "The server did not understand this request. Go back and try again."),
            401 => ("Signed out", "Sign in to see this page."),
            403 => ("Not allowed", "You may not see this page. Ask whoever runs this server for access."),
            404 => ("Not found", "There is nothing at this address. Check it, or begin at the start page."),
            405 => ("Not possible", "This address does not take such a request. Begin at the start page."),
            413 => ("Too large", "What was sent is larger than this server takes. Send less at once."),
            429 => ("Too many requests", "Wait a moment, then reload the page."),
            503 => ("Not ready", "The server is starting or stopping. Reload the page in a moment."),
            500..=599 => {
                ("Server error", "The server failed at this request; its log says why. Reload the page to try again.")
            }
            _ => ("Request failed", "The server could not answer this request. Go back and try again."),
        },
        Lang::ZhCn => match status {
            400 => ("请求无效", "服务器无法理解此请求，请返回后重试。"),
            401 => ("未登录", "请登录后查看此页面。"),
            403 => ("没有权限", "你无权查看此页面，请向服务器的管理者申请权限。"),
            404 => ("页面不存在", "此地址没有内容，请检查地址或返回首页。"),
            405 => ("无法执行", "此地址不接受这样的请求，请返回首页。"),
            413 => ("内容过大", "发送的内容超过了服务器的上限，请减少后重试。"),
            429 => ("请求过多", "请稍候片刻，然后重新加载页面。"),
            503 => ("尚未就绪", "服务器正在启动或停止，请稍后重新加载页面。"),
            500..=599 => ("服务器错误", "服务器处理此请求时出错，原因见其日志。请重新加载页面重试。"),
            _ => ("请求失败", "服务器无法响应此请求，请返回后重试。"),
        },
    }
}
