"""The style sheet of everything that the course draws by itself."""

from pages.look.colours import (
    ATTENTION,
    CARD,
    INK,
    KEY,
    NEGATIVE,
    PAPER,
    QUERY,
    RIGHT,
    RULE,
    SCORES,
    SOFT,
    VALUE,
    WEIGHTS,
    WRONG,
    Pair,
    mixed,
)

LEVELS = 12  # shades in a thumbnail
ON_DARK = "svg[style*='rgb({}, {}, {})']".format(*bytes.fromhex(PAPER.dark[1:]))  # a chart that was drawn on dark paper


def shades(prefix: str, ramp: list[Pair]) -> str:
    """Return the classes of a ramp's shades, as thumbnails use them."""
    steps = [mixed(ramp, level / (LEVELS - 1)) for level in range(LEVELS)]
    return "".join(f".thumb .{prefix}{level}{{background:{pair.css}}}" for level, pair in enumerate(steps))


STYLE = f"""
.course{{--ink:{INK.css};--soft:{SOFT.css};--rule:{RULE.css};--card:{CARD.css};--attention:{ATTENTION.css};
--negative:{NEGATIVE.css};--query:{QUERY.css};--key:{KEY.css};--value:{VALUE.css};--right:{RIGHT.css};
--wrong:{WRONG.css};color:var(--ink);font-variant-numeric:tabular-nums}}
.course :is(b,i,span,code){{unicode-bidi:isolate}}
.course p{{margin:0;font-size:inherit;line-height:inherit}}.course sub{{line-height:0}}
.course .soft{{color:var(--soft)}}
.course .query{{color:var(--query)}}.course .key{{color:var(--key)}}.course .value{{color:var(--value)}}
.course.lead{{font-size:1.0625rem;line-height:1.55;max-width:46rem}}.course.lead p+p{{margin-top:.6rem}}
.course.note{{font-size:.875rem;line-height:1.45;color:var(--soft)}}
.course.chips{{display:flex;flex-wrap:wrap;gap:6px;font-size:.9375rem}}
.chips span{{padding:2px 9px;border:1px solid var(--rule);border-radius:6px;background:var(--card);
overflow-wrap:anywhere}}
.chips :is(.asks,.answers,.both,.gives,.row){{border-width:2px;padding:1px 8px;font-weight:600}}
.chips .asks{{border-color:var(--query);color:var(--query)}}
.chips .answers{{border-color:var(--key);color:var(--key)}}
.chips .gives{{border-color:var(--value);color:var(--value)}}.chips .row{{border-color:var(--soft)}}
.chips .both{{border-color:var(--query) var(--key) var(--key) var(--query)}}
.lights+.lights{{margin-top:10px}}
.lights .chips{{display:flex;flex-wrap:wrap;gap:6px;margin-top:6px;font-size:.9375rem}}
.chips .lit{{border-color:var(--attention);color:var(--attention);font-weight:600}}.chips .dark{{color:var(--soft)}}
.course .title{{font-size:1.0625rem;font-weight:600;margin-bottom:8px;overflow-wrap:anywhere}}
.ledger{{display:grid;grid-template-columns:minmax(1.4rem,auto) 3.6rem 1rem 3.6rem 1rem 1fr minmax(3.8rem,auto);
align-items:center;row-gap:3px;font-size:.9375rem}}.ledger .rest{{grid-column:1/7;color:var(--soft);padding-top:3px}}
.ledger .n,.chain .n{{text-align:right;white-space:nowrap}}.ledger .sign{{text-align:center;color:var(--soft)}}
.ledger .of{{color:var(--soft);font-size:.8125rem;overflow-wrap:anywhere;max-width:5.5rem}}
.ledger .head{{color:var(--soft);font-size:.8125rem;text-align:center}}
.ledger .bar{{position:relative;height:14px;margin:0 10px;min-width:2.5rem}}
.ledger .bar:before{{content:"";position:absolute;left:50%;top:-3px;bottom:-3px;width:1px;background:var(--soft);
opacity:.55}}
.ledger .bar i{{position:absolute;top:0;bottom:0;border-radius:2px;background:var(--attention)}}
.ledger .bar i.minus{{background:var(--negative)}}
.chain{{display:grid;grid-template-columns:1fr auto;row-gap:5px;column-gap:10px;font-size:.9375rem;
border-top:1px solid var(--rule);margin-top:10px;padding-top:10px}}
.chain sup{{line-height:1;font-size:.75em}}
.chain .result{{font-size:1.375rem;font-weight:700;color:var(--attention)}}
.course.verdict{{font-size:.9375rem;line-height:1.5;border-left:3px solid var(--right);padding-left:12px;
margin-bottom:1.25rem}}
.verdict b{{color:var(--right)}}
.course.verdict.wrong{{border-color:var(--wrong)}}.verdict.wrong b{{color:var(--wrong)}}
.course.verdict.told{{border-color:var(--soft)}}.verdict.told b{{color:var(--soft)}}
.course.ask{{font-size:1rem;line-height:1.5}}
.course.shape{{font-size:.875rem;color:var(--soft)}}.shape b{{color:var(--ink);font-weight:600}}
.course.stage{{display:flex;justify-content:center;align-items:flex-end;height:48px;margin-bottom:-12px}}
.thumb{{display:grid;gap:1px}}
.thumb i{{display:block}}.thumb .hidden{{background:var(--rule)}}
.meters{{display:grid;grid-template-columns:auto 1fr auto;gap:1px 8px;align-items:center;font-size:.8125rem;
line-height:1.35;color:var(--soft)}}
.meters i{{height:5px;border-radius:2px;background:var(--attention)}}
.meters .n{{text-align:right}}.meters b{{color:var(--ink)}}
.stage .blank{{border:1px dashed var(--rule);border-radius:4px}}
.spoken{{font-family:"Source Code","Source Code Pro",monospace;font-size:1rem;line-height:2.1;overflow-wrap:anywhere}}
.spoken span{{position:relative;display:inline-block;padding-bottom:13px;line-height:1.2;white-space:pre}}
.spoken i{{position:absolute;left:1px;right:1px;bottom:1px;background:var(--attention);opacity:.75}}
.spoken.small{{font-size:.875rem;line-height:1.7}}.spoken.small span{{display:inline;padding:0}}
.spoken .right{{color:var(--right)}}.spoken .wrong{{color:var(--wrong)}}
.spoken em{{font-style:normal;white-space:nowrap}}
.spoken .next{{color:var(--soft)}}
.spoken .picked{{outline:2px solid var(--ink);outline-offset:2px;border-radius:3px}}
.spoken .again{{border-bottom:2px solid var(--soft)}}
.decision{{overflow-x:auto}}
.course .decision table{{font-size:.875rem;width:100%}}
.course .decision th,.course .decision td{{text-align:right;padding:0 0 0 8px;height:29px;line-height:1.1;
white-space:nowrap;vertical-align:middle}}
.course .decision th{{height:20px;border-bottom-color:transparent}}
.course .decision :is(th,td):first-child{{text-align:left;padding-left:0;max-width:7rem;overflow:hidden;
text-overflow:ellipsis}}
.course .decision .out td{{color:var(--soft)}}
.course .decision .taken td{{color:var(--attention);font-weight:600}}
.course .figure{{font-size:1.375rem;font-weight:700;color:var(--attention);line-height:1.2}}
.figure sup{{line-height:0}}
.course .patch{{display:inline-block;width:11px;height:11px;border-radius:2px;margin:0 5px 0 14px;vertical-align:-1px}}
.lengths{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:14px 28px;
font-size:.8125rem}}
.stack{{margin-bottom:14px;font-size:.9375rem}}
.stack .cuts{{display:flex;height:20px;margin:4px 0;gap:1px}}.stack i{{min-width:1px}}
.stack .parts{{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:.875rem}}
.stack .parts i{{display:inline-block;width:10px;height:10px;margin-right:5px;border-radius:2px}}
.stack i{{background:var(--soft)}}.stack i.attention{{background:var(--attention)}}
.stack i.feed_forward{{background:var(--ink)}}.stack i.position_embedding,.stack i.norms{{background:var(--rule)}}
.stack span.chosen{{text-decoration:underline;text-underline-offset:3px}}
.trace .step{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:6px 16px;
align-items:center;padding:8px 0;border-bottom:1px solid var(--rule);font-size:.9375rem}}
.trace .maps{{display:flex;flex-wrap:wrap;gap:6px;align-items:center}}
.trace code{{white-space:nowrap;margin-right:10px}}
.qr img{{display:block;width:100%;max-width:420px;height:auto;border-radius:6px}}
.course ul,.course ol{{margin:.25rem 0;padding-left:1.25rem}}
.course .tests{{list-style:none;padding:0;font-size:.9375rem}}
.tests .right b{{color:var(--right)}}.tests .wrong b{{color:var(--wrong)}}
.course pre{{overflow-x:auto;border:1px solid var(--rule);border-radius:6px;padding:12px;font-size:.8125rem;
line-height:1.5;background:var(--card)}}
.course table{{border-collapse:collapse;font-size:.9375rem;width:100%}}
.course th{{text-align:left;font-weight:400;color:var(--soft);padding:4px 12px 4px 0;
border-bottom:1px solid var(--rule)}}
.course td{{padding:4px 12px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top}}
.course .wide{{overflow-x:auto}}.wide td:nth-child(-n+4){{white-space:nowrap}}
[class*="_walk"]{{margin-left:auto}}
[class*="_to_"] button{{padding-left:4px;padding-right:4px}}[class*="_again"] button p{{white-space:normal!important}}
{shades("w", WEIGHTS)}{shades("s", SCORES)}
.course.printed{{display:none}}
@page{{size:A4;margin:14mm}}
@media print{{
:is(html,body,.stApp){{color-scheme:light!important;background:white!important}}
[data-testid=stMain] :not(.course,.course *,svg *){{color:{INK.light}!important;border-color:{RULE.light}!important}}
[data-testid=stMain] :is(pre,div:has(input[type=text],input[type=number],input[role=combobox],textarea)){{
background:none!important}}
[data-testid=stVegaLiteChart] svg{{background:none!important}}
{ON_DARK},.stApp:has({ON_DARK}) canvas{{filter:invert(1) hue-rotate(180deg)}}
[data-testid=stSidebar],[data-testid=stHeader],[data-testid=stMain] button:not([aria-checked=true]),summary,
[class*="_strip"],[data-testid=stLayoutWrapper]:has(>[class*="_practice"],>[data-testid=stExpander]>details:not([open])),
[data-testid=stElementContainer]:last-child:has(>[data-testid=stPageLink]),[data-testid=stAppIframeResizerAnchor]{{
display:none!important}}
[data-testid=stMain] button *{{overflow:visible!important}}
.stApp,[data-testid=stAppViewContainer],[data-testid=stMain],[data-testid=stMainBlockContainer]{{display:block;
position:static;height:auto;overflow:visible;padding:0;max-width:none}}
[data-testid=stHorizontalBlock]{{flex-wrap:wrap}}[data-testid=stColumn]{{min-width:100%}}
[data-testid=stVegaLiteChart] :is(svg,canvas){{max-width:100%;height:auto!important}}
[data-testid=stElementContainer],[data-testid=stGrid]>*,.course{{break-inside:avoid;print-color-adjust:exact}}
.course.printed{{display:block;overflow-wrap:anywhere}}
}}
"""

PARTS = {"step": ("strip", "walk"), "exercise": ("practice",)}  # controls that are drawn as something larger


def hiding(page: str, names: frozenset[str]) -> str:
    """Return what hides controls and parts of a page from students: they are still there, at what the link says."""
    keys = [f".st-key-{page}_{part}" for name in sorted(names) for part in PARTS.get(name, (name,))]
    return f"{','.join(keys)}{{display:none!important}}" if keys else ""
