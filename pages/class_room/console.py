"""The console: the screen of a class's teacher alone, on a laptop or a phone, beside the projector."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.class_room.attend import attend
from pages.class_room.ballot import Ballot
from pages.class_room.desk import BLACK, CODE, LONGEST, NOTHING, WALL
from pages.class_room.host import switch
from pages.class_room.member import note
from pages.class_room.pictures import ballot as bars
from pages.class_room.push import keep_told
from pages.class_room.room import ASK, LATER, OPEN, RECORD, REVEALED, VIEW, n_here, the_store
from pages.class_room.teacher import Teacher
from pages.class_room.walls import Texts, choose, items_of, shelf_of_wall, shown_as
from pages.links.course import TEACHING
from pages.look.html import caption, plain, seen
from pages.look.modules import assets
from pages.questions.kinds import Choice
from pages.teaching.own import Open, questions_in
from pages.teaching.plan import Plan, View, lesson_of, name_of, plan_in, view_in

NOT_YOURS = "Open this console by the teacher’s own link, which the console has where the class was opened."
KEYS = st.components.v2.component("attention_console", **assets(Path(__file__).with_suffix(".js")))
LOOK = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
NOT_SHOWN = "Not shown yet: only you see this."
LISTED = 100  # texts of a wall
MORE = f" {LISTED} are listed: delete some to see others."


class Sight(NamedTuple):
    """What a console shows of a class, besides what its teacher said."""

    here: int
    questions: list[Ballot]
    wall: Texts
    chosen: Texts
    problem: str  # why no more answers are taken


def look_at(member: Teacher) -> Sight:
    """Return how the class stands with the view that its teacher is at."""
    store, word, view = the_store(), member.word, view_in(member.now.get(VIEW, ""))
    page, step = view.place if view else ("", "")
    found = [*member.ballots(page, step, f"{step}#{member.desk.slide}")] if view else []
    wall = store.read(word, shelf_of(view)) if view else {}
    return Sight(n_here(store, word), found, wall, store.read(word, RECORD), store.problem(word))


def shelf_of(view: View) -> str:
    return shelf_of_wall(view.page, view.word("exercise") or view.place[1])


def draw_console(page: Any, remember: Callable[[], None]) -> None:
    """Draw the console in place of the rest of a page, and let the browser keep the class."""
    with page.main:
        draw(page)
        remember()
    st.stop()


def draw(page: Any) -> None:
    before = st.session_state.get("class_room")
    attend(page, on_console=True)
    st.html(f"<style>{LOOK}</style>")
    member = st.session_state.get("class_room")
    if not isinstance(member, Teacher):
        if not (before and before.over):  # which is said already
            note(NOT_YOURS)
        return
    if not member.watches:
        member.watches = look_at
        member.look()
    keep_told(member)
    KEYS(key="console_keys")
    sight, plan = member.sight, plan_in(member.desk.plan)
    if not sight:
        note(member.trouble, "class")
        return
    draw_head(member, sight, plan)
    left, right = st.columns([1, 1.9], gap="medium")
    with left:
        draw_slide(member, plan)
    waits = [one for one in sight.questions if one.asked.stage != REVEALED] or sight.questions[-1:]
    with right:
        if waits:  # hidden until it is asked for: the screen may be mirrored to the projector
            show = partial(setattr, member, "tells")
            switch("Right answers and mistakes", "console_right", bool(member.tells), show)
        for ballot in waits:
            draw_question(member, sight, ballot)
        draw_wall(member, sight)
        draw_orders(member, plan)
        for ballot in sight.questions:
            if ballot not in waits:  # below what is to be pressed
                draw_question(member, sight, ballot)
    with st.bottom, st.container(horizontal=True, key="console_walk"):
        st.button("← Back", key="console_back", on_click=walk, args=(member, plan, -1))
        st.button("Next slide →", key="console_next", type="primary", on_click=walk, args=(member, plan, 1))


def draw_head(member: Teacher, sight: Sight, plan: Plan) -> None:
    clock = clock_of(member.desk.begun, plan.minutes)
    told = Markup('<b class="code">{}</b> {} here <span class="soft">this page is private</span><b class="time">{}</b>')
    problem = Markup(" {}").format(member.trouble or sight.problem)
    note(told.format(member.word, sight.here, clock) + problem, "class desk")


def clock_of(since: float, minutes: int) -> Markup:
    if the_store().clock() - since > LONGEST:  # that of a lecture before, or none
        return Markup()
    of = Markup(" of {}:00").format(minutes) if minutes else Markup()
    return Markup('<time data-seconds="{:.0f}"></time>{}').format(the_store().clock() - since, of)


def draw_slide(member: Teacher, plan: Plan) -> None:
    desk, at = member.desk, view_in(member.now.get(VIEW, ""))
    planned = plan.views[desk.slide] if desk.slide < len(plan.views) else None
    if planned and at and planned.place == at.place:
        at = planned._replace(link=at.link)
    of = Markup(" · {} of {} · ").format(desk.slide + 1, len(plan.views)) if planned else Markup(" · ")
    clock = clock_of(desk.since, planned.minutes if planned else 0)
    card = Markup('<p class="soft">{}{}{}</p><div class="{}"><b>{}</b><p>{}</p></div>')
    name = (at.title or at.place[1].replace("_", " ").capitalize() or lesson_of(at)) if at else "no lesson yet"
    note(card.format("On the projector", of, clock, "slide", caption(seen(name)), lesson_of(at) if at else ""), "desk")
    if desk.slide + 1 < len(plan.views):
        following = plan.views[desk.slide + 1]
        note(card.format("Next", "", "", "slide next", caption(seen(name_of(following))), ""), "desk")
    if planned and planned.note:
        note(Markup('<p class="soft">Your note</p><p>{}</p>').format(caption(seen(planned.note))), "desk")


def draw_question(member: Teacher, sight: Sight, ballot: Ballot) -> None:
    stage = ballot.asked.stage
    with st.container(border=True, key=f"console_{ballot.place}"):
        told = {OPEN: NOT_SHOWN, LATER: NOT_SHOWN, REVEALED: "Revealed, on the projector and to all who answered."}
        note(Markup("<b>{}</b>").format(caption(ballot.question.text)), "class")
        shown = told.get(stage, "The class sees the bars, but not yet which answer is right.")
        stands = Markup('<b>{}</b> <span class="soft">{}</span>')
        note(stands.format(ballot.told(sight.here), shown + ballot.shift), "class")
        tells = bool(member.tells) or stage == REVEALED
        if tells or isinstance(ballot.question, Choice):  # of numbers, the right one is the first line
            st.html(bars(ballot.lines, tells))
        if stage != REVEALED:
            member.draw_acts(ballot)


def draw_wall(member: Teacher, sight: Sight) -> None:
    view = view_in(member.now.get(VIEW, ""))
    owns = questions_in(member.own_questions(view.word("quiz"))[1]) if view else ()
    opens = [own.text for own in owns if isinstance(own, Open)]
    asked = Markup("").join(Markup("<p>{}</p>").format(caption(text)) for text in opens)
    if not view or not ((items := items_of([*sight.wall.values()])) or asked):
        return
    with st.container(border=True, key="console_texts"):
        place = shelf_of(view)
        first = sorted(items, key=lambda text: not sight.chosen.get(shown_as(place, text)))[:LISTED]
        texts = {tab: text for tab, text in sight.wall.items() if text in first}
        n = sum(bool(sight.chosen.get(shown_as(place, text))) for text in items)
        told = "{}<b>Wall: {} of {} chosen.</b> Only you see the others.{}"
        note(Markup(told).format(asked, n, len(items), MORE * (len(items) > LISTED)), "class")  # noqa: S704  our own
        with st.container(height=220 if len(items) > 5 else "content", border=False):
            choose(member, place, member.names_of(view, str(member.desk.slide)), opens, texts, sight.chosen)


def draw_orders(member: Teacher, plan: Plan) -> None:
    with st.container(horizontal=True, key="console_orders"):
        for label, what in (("Show code and QR", CODE), ("Show the wall", WALL), ("Black", BLACK)):
            on = member.desk.order == what
            look: Any = "primary" if on else "secondary"
            to = NOTHING if on else what
            st.button(label, key=f"console_{what}", type=look, on_click=member.order, args=(to,))
        again = [view.place for view in member.asked_again() if view.link != member.now.get(VIEW)]
        for by in (i - member.desk.slide for i, view in enumerate(plan.views) if view.place in again):
            label, key = f"Ask again: {plain(name_of(plan.views[member.desk.slide + by]))}", f"console_again_{by}"
            st.button(label, key=key, on_click=walk, args=(member, plan, by, LATER))
    member.offer_following()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.link_button("Open the projector", member.way_in("lecture"), icon=":material/present_to_all:")
        st.page_link(TEACHING, label="Another lesson", icon=":material/school:")
        member.offer_end()
    member.offer_own_link()


def walk(member: Teacher, plan: Plan, by: int, stage: str = "") -> None:
    """Go so many slides of the plan on, and vote again there on what is at a stage; without a plan go a step."""
    at = member.desk.slide + by
    if len(plan.views) < 2:
        member.order(str(by))
    elif 0 <= at < len(plan.views):
        member.say_slide(at, told=True)
        member.say_view(plan.views[at].link)
        for place, asked in member.polls.items():
            if asked.stage == stage and (view := view_in(asked.view)) and view.place == plan.views[at].place:
                member.say_now(ASK + place, asked._replace(turn=2, stage=OPEN).text)
