"""The page for people, in a real browser against a real ``codemode serve``."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, Route, expect

from .kit import CHROMIUM, Site, Watch, browsing, served, sign_in, tab_to, text_of
from .measures import NAMED_ROLES, contrasts, focus_outlines, is_wider_than_window, spoken
from .wire import wired

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

HOSTILE = "</script><script>document.title='run'</script><img src=x onerror=alert(1)>\u202egnp.exe"
HOSTILE_SHOWN = HOSTILE.replace("\u202e", "\\u202e")
Scheme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("page")) as site:
        yield site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def watch(site: Site) -> Iterator[Watch]:
    watch = Watch(site.url)
    yield watch
    watch.check()


@pytest.fixture
def stranger(browser: Browser, site: Site, watch: Watch) -> Iterator[Page]:
    """A page whose browser has no token; nothing of the test's runs is left behind."""
    with browser.new_context(base_url=site.url, viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        watch.follow(page)
        yield page
    site.abort_all()


@pytest.fixture
def page(stranger: Page, site: Site) -> Page:
    sign_in(stranger, site)
    return stranger


def open_list(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#connection")).to_have_text("Live")


def open_run(page: Page, run_id: str) -> None:
    page.goto(f"/#/runs/{run_id}")
    expect(page.locator("#run-facts")).to_contain_text(run_id)


def test_a_run_appears_in_the_open_list_and_ends_there(page: Page, site: Site) -> None:
    open_list(page)
    site.start("return await tools.hold({})", description="Waits a little")
    row = page.get_by_role("listitem").filter(has_text="Waits a little")
    expect(row).to_contain_text("Running")
    site.release()
    expect(row).to_contain_text("Succeeded")


def test_older_runs_are_loaded_when_they_are_asked_for(page: Page, site: Site) -> None:
    ids = [site.start("return 1") for _ in range(60)]
    open_list(page)
    rows = page.locator("#run-list > li")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Load more").click()
    expect(page.locator(f"#run-list a[href='#/runs/{ids[0]}']")).to_be_visible()


def test_a_call_is_allowed_by_keyboard_alone_and_the_program_goes_on(
    page: Page, site: Site
) -> None:
    open_list(page)
    run_id = site.start("return await tools.send({ to: 'Bo' })", description="Sends to Bo")
    expect(page).to_have_title("(1) Runs · codemode")
    expect(page.locator("#news")).to_have_text("A call of send needs your approval.")
    region = page.get_by_role("region", name="Waiting for approval (1)")
    expect(region).to_contain_text("this is for a person to allow")
    expect(region).to_contain_text("expires in 59 min")

    tab_to(page, "Allow once")
    page.keyboard.press("Enter")
    expect(region).to_be_hidden()
    expect(page.get_by_role("heading", name="Runs", exact=True)).to_be_focused()
    expect(page).to_have_title("Runs · codemode")

    tab_to(page, "Sends to Bo")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sends to Bo")).to_be_focused()
    expect(page.locator("#outcome")).to_contain_text('"sent to Bo"')
    expect(page.locator("#timeline")).to_contain_text("Allowed by ada")
    assert site.run(run_id)["result"] == "sent to Bo"
    page.go_back()
    expect(page.locator("#run-list")).to_be_visible()


def test_a_denied_call_rejects_in_the_program(page: Page, site: Site) -> None:
    program = (
        "try { await tools.send({ to: 'Bo' }) } catch (error) { return `no: ${error.message}` }"
    )
    open_run(page, site.start(program))
    page.get_by_role("button", name="Deny").click()
    expect(page.locator("#outcome pre").first).to_contain_text('"no: ')
    expect(page.locator("#timeline")).to_contain_text("Denied by ada")
    expect(page.locator("#timeline")).to_contain_text("DENIED")


def test_the_focus_goes_to_the_next_question_but_not_to_its_buttons(page: Page, site: Site) -> None:
    open_list(page)
    questions = page.locator(".approval")
    site.start("await tools.send({ to: 'Bo' })")
    expect(questions).to_contain_text(["Bo"])
    site.start("await tools.send({ to: 'Cy' })")
    expect(questions).to_contain_text(["Bo", "Cy"])
    page.locator(".approval").filter(has_text="Bo").get_by_role("button", name="Deny").press(
        "Enter"
    )
    expect(page.locator(".approval")).to_have_count(1)
    expect(page.locator(".approval")).to_be_focused()
    expect(page.locator(".approval")).to_contain_text("Cy")


def test_an_edit_is_shown_as_a_diff_and_every_argument_in_full(page: Page, site: Site) -> None:
    old, new = "one\ntwo\nthree\n", "one\n2\nthree\n"
    given = {"path": "a/b.txt", "old_string": old, "new_string": new}
    site.start(f"await tools.edit_file({text_of(given)})")
    open_list(page)
    lines = page.locator(".diff .lines li")
    expect(lines).to_have_text([" one", "−removed: two", "+added: 2", " three"])
    expect(page.locator(".arguments pre")).to_have_text(['"a/b.txt"', old, new])


def test_a_question_that_was_answered_elsewhere_says_so(
    page: Page, site: Site, watch: Watch
) -> None:
    watch.allowed.append("status of 409")

    def answer_first(route: Route) -> None:
        if route.request.method == "POST":
            site.decide(site.pending()[0]["id"], "deny")
        route.continue_()

    open_list(page)
    site.start("await tools.send({ to: 'Bo' })")
    page.route("**/v1/approvals/*", answer_first)
    page.get_by_role("button", name="Allow once").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("the question is denied already")
    expect(page.get_by_role("alert")).to_contain_text("409")
    expect(page.locator(".approval")).to_have_count(0)
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("button", name="Dismiss")).to_be_hidden()


def test_a_question_that_nobody_answers_goes_away(page: Page, site: Site) -> None:
    open_run(page, site.start("await tools.send({ to: 'Bo' })", limits={"approvalMs": 1_000}))
    expect(page.locator("#timeline")).to_contain_text("Expired")
    expect(page.locator("#approvals")).to_be_hidden()
    expect(page.locator("#run-facts")).to_contain_text("Failed")


def test_a_run_is_followed_live_with_its_program_its_calls_its_logs_and_its_result(
    page: Page, site: Site
) -> None:
    program = "console.log('before');\nconst sum = await tools.add({ a: 1, b: 2 });\n"
    program += "await tools.hold({});\nconsole.warn('after');\nreturn { sum };"
    open_run(page, site.start(program))
    expect(page.locator("#program li")).to_have_text(program.split("\n"))
    timeline = page.locator("#timeline > li")
    expect(timeline).to_contain_text(["Start", "before", "add", "hold"])
    expect(timeline.nth(2)).to_contain_text("Succeeded in")
    expect(timeline.nth(3)).to_contain_text("Running")
    timeline.nth(2).get_by_text("Arguments").click()
    expect(timeline.nth(2).locator("dl")).to_have_text("a1b2")

    site.release()
    expect(timeline).to_contain_text(["Start", "before", "add", "hold", "after", "Succeeded"])
    expect(timeline.nth(3)).to_contain_text("Succeeded in")
    expect(page.locator("#outcome pre").first).to_have_text('{\n  "sum": 3\n}')
    expect(page.locator("#run-facts")).to_contain_text("Succeeded")
    expect(page.locator("#news")).to_have_text("The run has ended: Succeeded.")
    expect(page.get_by_role("button", name="Abort…")).to_be_hidden()


def test_a_failure_is_shown_with_its_place_in_the_program(page: Page, site: Site) -> None:
    open_run(page, site.start("const a = 1;\nthrow new TypeError('not so');"))
    expect(page.locator("#run-facts")).to_contain_text("Failed")
    expect(page.locator("#outcome")).to_contain_text("TypeError: not so")
    expect(page.locator("#program li.wrong")).to_contain_text("throw new TypeError")


def test_a_call_of_one_tool_is_shown_with_exact_numbers(page: Page, site: Site) -> None:
    run_id = site.begin(tool="note", arguments={"text": 12345678901234567890})
    open_run(page, run_id)
    expect(page.get_by_role("heading", name="Tool", exact=True)).to_be_visible()
    expect(page.locator("#program")).to_contain_text("12345678901234567890")


def test_a_run_is_aborted_by_keyboard_after_a_question(page: Page, site: Site) -> None:
    run_id = site.start("await tools.hold({})", description="Waits for ever")
    open_run(page, run_id)
    abort = page.get_by_role("button", name="Abort…")
    dialog = page.get_by_role("dialog", name="Abort this run?")
    abort.press("Enter")
    expect(dialog.get_by_role("button", name="Keep it running")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(abort).to_be_focused()
    abort.press("Enter")
    tab_to(page, "Abort the run")
    page.keyboard.press("Enter")
    expect(page.locator("#run-facts")).to_contain_text("Aborted")
    expect(page.get_by_role("heading", name="Waits for ever")).to_be_focused()
    assert site.run(run_id)["state"] == "aborted"


def test_thousands_of_calls_do_not_make_a_long_page(page: Page, site: Site) -> None:
    program = "for (let i = 0; i < 2000; i++) await tools.add({ a: i, b: 1 }); return 1"
    open_run(page, site.start(program))
    expect(page.locator("#timeline > li").last).to_contain_text("End")
    expect(page.locator("#timeline > li")).to_have_count(200)
    page.get_by_role("button", name="Show 200 earlier of 1,802").click()
    expect(page.locator("#timeline > li")).to_have_count(400)


def test_hostile_text_is_shown_and_nothing_of_it_runs(page: Page, site: Site) -> None:
    text = text_of(HOSTILE)
    program = (
        f"// {HOSTILE}\nconsole.log({text});\ntry {{ await tools[{text}]({{}}) }} catch {{}}\n"
    )
    program += (
        f"await tools.send({{ to: {text}, text: 'a\\n' + {text} }});\nthrow new Error({text});"
    )
    run_id = site.start(program, description=HOSTILE)
    open_list(page)
    expect(page.locator("#run-list .title").first).to_have_text(HOSTILE_SHOWN)
    approval = page.locator(".approval")
    expect(approval).to_contain_text(HOSTILE_SHOWN)
    expect(approval.locator(".escape").first).to_have_text("\\u202e")
    expect(page).to_have_title("(1) Runs · codemode")

    open_run(page, run_id)
    expect(page.locator("#run-title")).to_have_text(HOSTILE_SHOWN)
    expect(page.locator("#program")).to_contain_text(HOSTILE_SHOWN)
    expect(page.locator("#timeline pre")).to_have_text(HOSTILE_SHOWN)
    page.get_by_role("button", name="Allow once").click()
    expect(page.locator("#outcome")).to_contain_text(HOSTILE_SHOWN)
    assert page.locator("img, main script").count() == 0
    assert "\u202e" not in page.locator("body").inner_text()


def test_a_wrong_token_is_refused_and_a_right_one_opens_the_page(
    stranger: Page, site: Site, watch: Watch
) -> None:
    watch.allowed.append("status of 401")
    stranger.goto("/")
    stranger.get_by_label("Token").fill("cm_wrong")
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.get_by_role("alert")).to_have_text("This token is not valid.")
    stranger.get_by_label("Token").fill(site.token)
    stranger.keyboard.press("Enter")
    expect(stranger.locator("#connection")).to_have_text("Live")
    stranger.get_by_role("button", name="Sign out").click()
    expect(stranger.get_by_label("Token")).to_be_visible()


def test_a_page_whose_token_is_gone_asks_for_one(page: Page, site: Site, watch: Watch) -> None:
    watch.allowed.append("status of 401")
    open_list(page)
    page.context.clear_cookies()
    site.start("return 1")
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_lost_connection_is_told_and_comes_back(page: Page, site: Site, watch: Watch) -> None:
    with wired(site.port) as wire:
        watch.url = wire.url
        watch.allowed.append("net::ERR_")
        page.goto(wire.url)
        connection = page.locator("#connection")
        expect(connection).to_have_text("Live")
        wire.cut()
        expect(connection).to_have_text("Connection lost, trying again")
        site.start("return 1", description="Meanwhile")
        wire.mend()
        expect(connection).to_have_text("Live")
        expect(page.get_by_text("Meanwhile")).to_be_visible()
        page.goto("about:blank")


def test_a_page_that_nobody_sees_has_no_stream_and_catches_up(page: Page, site: Site) -> None:
    open_list(page)
    turn = "is => { Object.defineProperty(document, 'hidden', { value: is, configurable: true });"
    turn += " document.dispatchEvent(new Event('visibilitychange')); }"
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/v1/runs")):
        page.evaluate(turn, True)
    site.start("return 1", description="Unseen")
    page.evaluate(turn, False)
    expect(page.get_by_text("Unseen")).to_be_visible()


def _fill(page: Page, site: Site) -> str:
    """Opens a run with everything that a page can have, long and hostile."""
    long = {"path": "folder/" * 40, "old_string": "x" * 300, "new_string": f"{HOSTILE}\n" * 3}
    program = f"// {'long ' * 100}\nconsole.log({text_of('y' * 500)});\nawait tools.add({{ a: 1, b: 2 }});\n"
    run_id = site.start(program + f"await tools.edit_file({text_of(long)});", description="z" * 200)
    site.start("throw new Error('no')", description="Fails")
    site.start("return 1", description="Ends well")
    open_run(page, run_id)
    expect(page.locator("#timeline > li")).to_contain_text(
        ["Start", "yyy", "add", "edit_file", "Waiting"]
    )
    return run_id


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_is_wider_than_the_window(page: Page, site: Site, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 812})
    run_id = _fill(page, site)
    expect(page.locator(".approval .diff")).to_be_visible()
    assert not is_wider_than_window(page)
    columns = page.locator(".columns > section")
    program, timeline = columns.nth(0).bounding_box(), columns.nth(1).bounding_box()
    assert program is not None
    assert timeline is not None
    assert (program["y"] == timeline["y"]) is (width == 1280)
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.locator(f"#run-list a[href='#/runs/{run_id}']")).to_be_visible()
    assert not is_wider_than_window(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_and_used_without_sight_or_pointer(
    page: Page, site: Site, scheme: Scheme
) -> None:
    page.emulate_media(color_scheme=scheme)
    _fill(page, site)
    _check_access(page)
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_text("Ends well").first).to_be_visible()
    expect(page.locator("#run-list")).to_contain_text("Waiting for approval")
    _check_access(page)


def _check_access(page: Page) -> None:
    assert [(ratio, text) for ratio, text in contrasts(page) if ratio < 4.5] == []
    nodes = spoken(page)
    assert [node for node in nodes if node["role"] in NAMED_ROLES and not node["name"]] == []
    for landmark in ("banner", "main", "navigation"):
        assert [node["role"] for node in nodes].count(landmark) == 1
    levels = [node["level"] for node in nodes if node["role"] == "heading"]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    outlines = focus_outlines(page)
    assert len(outlines) > 5
    assert {name: width for name, width in outlines.items() if width < 2} == {}


def test_the_first_tab_stop_skips_to_the_content(page: Page, site: Site) -> None:
    open_list(page)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    expect(page.locator("#run-list")).to_be_visible()
