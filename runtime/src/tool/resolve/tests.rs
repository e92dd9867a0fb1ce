//! Paths that must not lead outside, and those that may be used.

use super::*;
use crate::tool::Grant;
use crate::tool::registry::testing::Fixture;

fn outside(scope: &WorkspaceScope, path: &str) {
    for access in [Access::Read, Access::Write] {
        match scope.resolve(path, access) {
            Err(error @ ScopeError::Outside { .. }) => {
                let sentence = error.to_string();
                assert!(sentence.contains("is outside the workspace; only paths beneath /"), "{sentence}");
            }
            other => panic!("{path} for {access:?}: {other:?}"),
        }
    }
}

fn inside(scope: &WorkspaceScope, path: &str, shown: &str) -> Place {
    let place = scope.resolve(path, Access::Write).unwrap();
    assert_eq!(place.shown, shown, "{path}");
    place
}

/// Links out, a dangling link out, and a link that stays inside.
fn layout() -> Fixture {
    let fixture = Fixture::new();
    fixture
        .write("outside/secret", "S")
        .write("ws2/f", "sibling")
        .write("ws/in/f", "inner")
        .write("ws/a b.txt", "x")
        .link("ws/out", fixture.path("outside"))
        .link("ws/relative-out", "../outside")
        .link("ws/dangling", fixture.path("outside/none"))
        .link("ws/in/self", fixture.path("ws/in"))
        .link("ws/in/up", "../in/f")
        .link("ws/loop", "loop")
        .link("ws/to-root", "/")
        .link("ws/through", "in/../../outside/secret");
    fixture
}

#[test]
fn links_that_lead_out_are_refused() {
    let fixture = layout();
    let scope = &fixture.context.scope;
    for path in [
        "out",
        "out/secret",
        "out/newdir/f",
        "out/x",
        "relative-out/secret",
        "dangling",
        "to-root/etc/hostname",
        "through",
    ] {
        outside(scope, path);
    }
    assert!(scope.resolve("loop", Access::Read).unwrap_err().to_string().contains("form a loop"));
}

#[test]
fn traversal_and_absolute_paths_are_refused() {
    let fixture = layout();
    let scope = &fixture.context.scope;
    let workspace = fixture.path("ws");
    let workspace = workspace.to_str().unwrap();
    let own = [
        format!("{workspace}2/f"),
        format!("{workspace}/../ws2/f"),
        format!("{workspace}/../../etc/hostname"),
        format!("/proc/self/root{workspace}/in/f"),
        format!("/proc/self/cwd/{workspace}"),
    ];
    let fixed = [
        "..",
        "../ws2/f",
        "in/../../ws2/f",
        "in/self/../../../ws2/f",
        "/etc/hostname",
        "//etc/hostname",
        "/",
        "~",
        "~/.ssh/id",
        "~//../etc/hostname",
        "/proc/self/environ",
        "./../outside/secret",
    ];
    for path in own.iter().map(String::as_str).chain(fixed) {
        outside(scope, path);
    }
    assert!(matches!(scope.resolve("a\0b", Access::Read), Err(ScopeError::Invalid { .. })));
}

#[test]
fn paths_that_stay_inside_work() {
    let fixture = layout();
    let scope = &fixture.context.scope;
    let workspace = fixture.path("ws");
    assert!(matches!(inside(scope, "in/self/f", "in/f").kind, PlaceKind::File(_)));
    assert!(matches!(inside(scope, "in/self/self/up", "in/f").kind, PlaceKind::File(_)));
    assert!(matches!(inside(scope, "../ws/in/../a b.txt", "a b.txt").kind, PlaceKind::File(_)));
    assert!(matches!(inside(scope, workspace.to_str().unwrap(), ".").kind, PlaceKind::Folder));
    assert!(matches!(inside(scope, "", ".").kind, PlaceKind::Folder));
    let place = inside(scope, "new/deep/file", "new/deep/file");
    assert_eq!(place.name, "new");
    assert!(matches!(place.kind, PlaceKind::Missing { rest } if rest == ["deep", "file"]));
    assert!(matches!(inside(scope, "~literal", "~literal").kind, PlaceKind::Missing { .. }));
    assert!(scope.resolve("a b.txt/x", Access::Read).is_err());
}

#[test]
fn grants_differ_in_access_and_links_lead_between_them() {
    let fixture = layout();
    fixture.link("ws/media", fixture.path("outside")).link("ws/sibling", "../outside/secret");
    let grant = |name: &str, access| Grant { root: fixture.path(name), access };
    let scope =
        WorkspaceScope::open(vec![grant("ws", Access::Write), grant("outside", Access::Read)], Vec::new()).unwrap();
    let secret = fixture.path("outside/secret");
    let secret = secret.to_str().unwrap();
    for path in ["media/secret", "sibling", secret] {
        assert_eq!(scope.resolve(path, Access::Read).unwrap().shown, secret);
        assert!(matches!(scope.resolve(path, Access::Write), Err(ScopeError::Outside { verb: "changed", .. })));
    }
}

#[test]
fn denied_places_stay_closed_by_every_name() {
    let fixture = layout();
    fixture.write("ws/data/db", "x").write("ws/data/ws/f", "x").link("ws/alias", "data").write("ws/key.txt", "x");
    std::fs::hard_link(fixture.path("ws/key.txt"), fixture.path("ws/hard")).unwrap();
    let deny = vec![fixture.path("ws/data"), fixture.path("ws/key.txt"), fixture.path("ws/later/deep")];
    let grant = |name: &str| Grant { root: fixture.path(name), access: Access::Write };
    let scope = WorkspaceScope::open(vec![grant("ws")], deny.clone()).unwrap();
    for path in
        ["data", "data/db", "alias", "alias/db", "in/../data/db", "key.txt", "later/deep", "later/deep/x", "hard"]
    {
        outside(&scope, path);
    }
    // A grant inside a denied place is open: the workspace lies inside the home of the program.
    let scope = WorkspaceScope::open(vec![grant("ws/data/ws")], deny).unwrap();
    assert_eq!(scope.resolve("f", Access::Read).unwrap().shown, "f");
    outside(&scope, "../db");
}

#[test]
fn the_home_is_judged_like_any_other_path() {
    let fixture = layout();
    let mut scope =
        WorkspaceScope::open(vec![Grant { root: fixture.path("ws"), access: Access::Write }], Vec::new()).unwrap();
    scope.set_home(fixture.path("ws/in"));
    assert_eq!(scope.resolve("~/f", Access::Read).unwrap().shown, "in/f");
    outside(&scope, "~/../../ws2/f");
}

#[test]
fn a_scope_over_everything_still_leaves_the_kernel_alone() {
    let grant = Grant { root: PathBuf::from("/"), access: Access::Write };
    let scope = WorkspaceScope::open(vec![grant], Vec::new()).unwrap();
    for path in ["/proc/self/environ", "/dev/zero", "/sys", "dev/null"] {
        assert!(matches!(scope.resolve(path, Access::Read), Err(ScopeError::Outside { .. })), "{path}");
    }
}

#[test]
fn roots_must_exist_and_be_absolute() {
    let open = |root: &str| WorkspaceScope::open(vec![Grant { root: root.into(), access: Access::Read }], Vec::new());
    assert!(matches!(open("relative"), Err(ScopeError::Invalid { .. })));
    assert!(matches!(open("/no/such/folder"), Err(ScopeError::Io { .. })));
    assert!(matches!(WorkspaceScope::open(Vec::new(), Vec::new()), Err(ScopeError::Invalid { .. })));
}

#[test]
fn a_swap_between_look_and_open_is_noticed() {
    let fixture = layout();
    let scope = &fixture.context.scope;
    let place = scope.resolve("in/f", Access::Read).unwrap();
    let PlaceKind::File(metadata) = &place.kind else { panic!("a file expected") };
    std::fs::rename(fixture.path("ws/in/f"), fixture.path("ws/in/old")).unwrap();
    let open = || open_file(&place.directory, &place.name, metadata).unwrap_err().to_string();
    fixture.write("ws/in/other", "x").link("ws/in/f", "other");
    assert!(open().contains("replaced"));
    std::fs::remove_file(fixture.path("ws/in/f")).unwrap();
    fixture.link("ws/in/f", fixture.path("outside/secret"));
    assert!(open().contains("led outside"));
}

#[test]
fn a_folder_that_turns_into_a_link_never_leads_out() {
    use std::io::Read;
    use std::sync::atomic::{AtomicBool, Ordering};
    let fixture = layout();
    fixture.write("ws/swap/secret", "inside").link("ws/link", fixture.path("outside"));
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for (from, to) in [("swap", "spare"), ("link", "swap"), ("swap", "link"), ("spare", "swap")] {
                    std::fs::rename(fixture.path("ws").join(from), fixture.path("ws").join(to)).unwrap();
                }
            }
        });
        for _ in 0..2_000 {
            let Ok(place) = fixture.context.scope.resolve("swap/secret", Access::Read) else { continue };
            let PlaceKind::File(metadata) = &place.kind else { continue };
            let Ok(mut file) = open_file(&place.directory, &place.name, metadata) else { continue };
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            if text != "inside" {
                done.store(true, Ordering::Relaxed);
            }
            assert_eq!(text, "inside");
        }
        done.store(true, Ordering::Relaxed);
    });
}
