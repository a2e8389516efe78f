// The stage of a lecture: each view is a page in a frame, kept while the others are shown, the next one loaded in advance.
const READ = 675, HIGH = 1170  // pixels of a page; 15 of READ are 1/45 of it, which is read from the last row
const lowest = () => Math.max(500, Math.min(READ, (900 * innerHeight) / innerWidth))  // wide enough for two columns
const WAYS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }
const FIELDS = "input, textarea, select, [contenteditable=true], [role=radio], [role=slider], [role=combobox]"
const stage = { frames: new Map(), at: 0, heights: new WeakMap(), titles: new WeakMap() }

const here = () => stage.frames.get(stage.at)
const place = (frame) => {
  const height = stage.heights.get(frame) ?? lowest(), scale = innerHeight / height
  Object.assign(frame.style, { height: `${height}px`, width: `${innerWidth / scale}px`, transform: `scale(${scale})` })
}

/** Make a page higher, and so smaller, until all of it is on the screen; a new step begins large again. */
function fit(frame) {
  const page = frame.contentDocument, main = page?.querySelector("[data-testid=stMain]")
  if (!main || page.documentElement.classList.contains("all")) return
  const title = page.querySelector("h1")?.textContent + page.querySelectorAll("form, .verdict, .ballot").length
  const once = frame.calm === 3 && stage.heights.get(frame) > READ && frame.tried !== title  // now that charts are drawn
  const anew = once || stage.titles.get(frame) !== title
  if (once) frame.tried = title
  const height = anew ? lowest() : stage.heights.get(frame)
  const own = height < READ && page.querySelector("[class*=_own_ballot]"), end = page.querySelector("[data-testid=stBottom]")
  const below = own && end ? own.getBoundingClientRect().bottom - end.getBoundingClientRect().top : 0  // it stands beside all else
  const over = Math.max(main.scrollHeight - main.clientHeight, below)
  const root = page.documentElement.classList, beside = root.contains("two")  // pictures, where they are small one under another
  const fits = !anew && (over < 2 || height === HIGH)
  const busy = page.querySelector("[data-test-script-state=running], [data-stale=true]")
    || [...page.querySelectorAll("[data-testid=stVegaLiteChart]")].some((one) => one.scrollWidth > one.clientWidth + 2)
  frame.full = fits || anew || height < READ ? 0 : (frame.full ?? 0) + 1
  if (frame.full && frame.full < (busy ? 40 : 4)) return later(frame)  // charts are drawn anew in a new width
  frame.full = 0
  const less = ["brief", "bare"].find((one) => !root.contains(one))  // what gives way next, where a class is asked
  const spare = !fits && !anew && height >= READ && beside && !!less && !!page.querySelector(".ballot, [class*=_ballot]:not([class*=_own_])")
  if (anew) root.remove("brief", "bare")
  if (spare) root.add(less)
  const next = anew || fits || spare || (height >= READ && !beside) ? height : Math.min(height < READ ? READ : HIGH, Math.ceil(1.06 * height))
  if (!fits) root.toggle("two", !anew && !spare && next === height)
  stage.titles.set(frame, title)
  stage.heights.set(frame, next)
  frame.calm = fits ? (frame.calm ?? 0) + 1 : 0  // charts are drawn anew after a page
  frame.dataset.fits = frame.calm > 3
  if (!fits) place(frame)
  if (!fits && height < READ) fit(frame)  // at once, so that nobody sees it too large
  else if (frame.calm < 4) later(frame)
}

const later = (frame) => { clearTimeout(frame.waits); frame.waits = setTimeout(() => fit(frame), 150) }

function prepare(frame, look) {
  const page = frame.contentDocument, inside = frame.contentWindow
  page.head.append(styled(page, look))
  inside.addEventListener("keydown", press, true)
  new inside.MutationObserver(() => later(frame)).observe(page.body, { subtree: true, childList: true, attributes: true })
}

function load(at) {
  if (stage.frames.has(at) || !stage.views[at]) return
  const frame = document.createElement("iframe"), link = new URL(stage.views[at], location.href)
  const words = { lecture: "view", slide: at, plan: stage.plan, teach: stage.teach }
  for (const [name, word] of Object.entries(words)) if (word !== "") link.searchParams.set(name, word)
  Object.assign(frame, { src: link.href, title: `View ${at + 1}`, className: at === stage.at ? "" : "off" })
  frame.addEventListener("load", () => prepare(frame, stage.looks.on_stage))
  stage.frames.set(at, frame)
  stage.box.append(frame)
  place(frame)
}

function show(at) {
  stage.at = at
  load(at)
  for (const [number, frame] of stage.frames) frame.classList.toggle("off", number !== at)
  here().focus()
  stage.fresh ??= !history.state?.begun
  stage.begun ??= history.state?.begun ?? Date.now()  // the clock goes on after a reload
  history.replaceState({ ...history.state, begun: stage.begun }, "", stage.views.length > 1 ? `#${at + 1}` : undefined)
  setTimeout(() => load(at + 1), 3000)  // so that the view in sight is drawn first
  tell()
}

const word = () => here().contentDocument?.querySelector(".st-key-class_bar b")?.textContent
const kept = () => { try { return sessionStorage.getItem("attention-progress") ?? "" } catch { return "" } }

/** Load the other views anew, as they were loaded without the class that was opened. */
function join() {
  stage.word = word()
  for (const [number, frame] of stage.frames) if (number !== stage.at) (frame.remove(), stage.frames.delete(number))
  load(stage.at + 1)
}

/** Do what the teacher said last on a console. What was said before the stage was there is past. */
function obey() {
  const found = here().contentDocument?.querySelector("[data-desk]")
  if (!found) return
  const { slide: [at, since, told], order: [what, given], begun, console } = JSON.parse(found.dataset.desk)
  const [heard, done] = stage.heard ?? [since, given]
  if (!stage.heard && stage.fresh && begun > Date.now() / 1000 - 43200) stage.begun = Math.min(Date.now(), 1000 * begun)  // after a crash
  const waits = what === "wall" && !here().contentDocument.querySelector(".st-key-class_wall button")  // it is drawn
  stage.heard = [Math.max(heard, since), waits ? done : Math.max(done, given)]
  stage.console = console
  here().contentDocument.documentElement.classList.toggle("desk", console)  // what it can do, the slide need not offer
  if (console) stage.note.classList.add("off")  // it has the note, and the slide is for all eyes
  if (given > done && !waits) cover(what)
  if (since > heard && told && at !== stage.at && stage.views[at]) (stage.said = at, show(at))  // which was said already
}

/** Show something over the slide, or the slide alone; of a lesson without a plan, the next step or the one before. */
function cover(what) {
  const page = here().contentDocument, wall = page.querySelector("[role=dialog] [aria-label=Close]")
  if (Number(what)) return walk(Number(what))
  if (!wall && what === "wall") page.querySelector(".st-key-class_wall button")?.click()
  if (wall && what !== "wall") wall.click()
  if (stage.over.classList.contains("code") !== (what === "code")) code()
  stage.over.classList.toggle("black", what === "black")  // after the code, which takes the black away
}

function tell() {
  obey()
  const seconds = Math.floor((Date.now() - stage.begun) / 1000), two = (n) => String(n).padStart(2, "0")
  const clock = `${Math.floor(seconds / 60)}:${two(seconds % 60)}${stage.minutes ? ` of ${stage.minutes}:00` : ""}`
  const sign = here().contentDocument?.querySelector(".st-key-class_here button")
  const isKept = sign && kept().includes(`"class": ["${word()}"`)
  if (isKept && stage.word !== word()) join()
  if (isKept && history.state?.teach) history.replaceState({ ...history.state, teach: "" }, "")
  if (sign && stage.said !== stage.at) (stage.said = stage.at, sign.click())  // so that a class knows which view is shown
  stage.note.textContent = stage.notes[stage.at] ?? ""
  const all = here().contentDocument?.documentElement.classList.contains("all")  // whose own corner is taken
  stage.corner.textContent = all ? "" : (stage.views.length > 1 ? `${stage.at + 1} of ${stage.views.length} · ` : "") + clock
}

/** Go to the next view of a plan, or to the next step of a lesson that is shown alone. */
function walk(by) {
  if (stage.views.length > 1) return stage.views[stage.at + by] && show(stage.at + by)
  const button = here().contentDocument.querySelectorAll("[class*=_walk] button")[by > 0 ? 1 : 0]
  if (button && !button.disabled) button.click()
}

/** Return the link for those who watch: of their class, which leads to the view in sight, or without one of that view. */
function link() {
  const found = new URL(here().contentWindow.location.href)
  if (word()) return new URL(`./?class=${word()}`, found).href
  for (const name of ["lecture", "slide", "plan"]) found.searchParams.delete(name)
  return found.href
}

function code() {
  const shown = stage.over.classList.toggle("code", !stage.over.classList.contains("code"))
  stage.over.classList.remove("black")
  if (!shown) return
  if (stage.coded !== link()) stage.over.replaceChildren()  // the code of another view
  stage.ask(link())
}

function settings() {
  const page = here().contentDocument, all = page.documentElement.classList.toggle("all")
  if (all) page.querySelector("[data-testid=stExpandSidebarButton]")?.click()
  else fit(here())
  tell()
}

const KEYS = {
  s: settings,
  q: code,
  c: () => here().contentDocument.querySelector(".st-key-class_begin button")?.click(),
  b: () => { stage.over.classList.remove("code"); stage.over.classList.toggle("black") },
  n: () => stage.console || stage.note.classList.toggle("off"),
  f: () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
  escape: () => stage.over.classList.remove("code", "black"),
}

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing) return
  const field = event.composedPath()[0].closest?.(FIELDS), way = WAYS[event.key]
  const writes = field?.matches("textarea, [contenteditable=true], input:not([type=radio], [type=checkbox], [type=range])")
  const act = way ? () => walk(way) : KEYS[event.key.toLowerCase()]
  if (!act || (event.key === "Escape" && !stage.over.matches(".code, .black"))) return
  if (field && (writes || way) && !event.key.startsWith("Page")) return  // the field needs it
  event.preventDefault()
  event.stopImmediatePropagation()
  if (!event.repeat) act()
}

const styled = (page, look) => Object.assign(page.createElement("style"), { textContent: look })

function begin() {
  stage.box = Object.assign(document.createElement("div"), { className: "attention-stage" })
  stage.corner = Object.assign(document.createElement("div"), { className: "corner" })
  stage.note = Object.assign(document.createElement("div"), { className: "note off" })  // what it says is not for all eyes
  stage.over = Object.assign(document.createElement("div"), { className: "over" })
  stage.over.addEventListener("click", KEYS.escape)
  stage.box.append(styled(document, stage.looks.stage), stage.corner, stage.note, stage.over)
  stage.box.style.colorScheme = getComputedStyle(document.querySelector(".stApp")).colorScheme
  document.body.append(stage.box)
  window.addEventListener("keydown", press, true)
  window.addEventListener("resize", () => { for (const frame of stage.frames.values()) { stage.titles.delete(frame); later(frame) } })
  setInterval(() => { tell(); fit(here()) }, 1000)  // a chart may grow without a change that is seen
  const named = Number(location.hash.slice(1)) - 1
  const clean = new URL(location.href)
  clean.searchParams.delete("teach")  // the frames have it now
  stage.teach ||= history.state?.teach ?? ""  // reloaded before the tab had kept the class
  history.replaceState({ ...history.state, teach: stage.teach }, "", clean)
  if (stage.teach) stage.word = stage.teach.split(".")[0]  // all views come into the class at once
  show(stage.views[named] ? named : 0)
}

export default function ({ data, setStateValue }) {
  stage.ask = (asked) => setStateValue("code", asked)
  if (!stage.box) {
    const alone = location.href.replace(/#.*/, "")
    Object.assign(stage, data, { views: data.views.length ? data.views : [alone] })
    begin()
  }
  if (!data.code) return
  stage.coded = data.code.asked
  stage.over.innerHTML = `${data.code.picture}<b></b><p></p>`
  stage.over.querySelector("b").textContent = word() ?? ""
  stage.over.querySelector("p").textContent = data.code.text
}
