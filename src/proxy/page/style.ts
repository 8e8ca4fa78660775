/** The style of the page. Blue, amber and vermilion are told apart with every kind of colour vision; no meaning has colour alone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfbfa; --card: #ffffff; --ink: #1c1f23; --soft: #5c6570; --line: #e4e5e3;
  --blue: #1f6fb2; --blue-soft: #bcd8ee; --amber: #9a5b00; --amber-fill: #d98a12; --red: #b3390b;
  --shadow: 0 1px 2px rgb(20 25 30 / 4%), 0 6px 20px rgb(20 25 30 / 4%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121417; --card: #1a1d21; --ink: #e9ebee; --soft: #9aa4b0; --line: #2a2f35;
    --blue: #6db5f0; --blue-soft: #29506f; --amber: #f0b45a; --amber-fill: #e0a13f; --red: #ff8f66;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
.page { max-width: 68rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 3rem) clamp(1rem, 4vw, 2.5rem) 3rem; }
a { color: var(--blue); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 3px; border-radius: 6px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { position: static; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; margin-bottom: clamp(1.75rem, 5vw, 3rem); }
h1 { font-size: 1rem; font-weight: 650; margin: 0; }
h1 span { color: var(--soft); font-weight: 400; }
.live { display: flex; align-items: center; gap: .5rem; color: var(--soft); font-size: .875rem; margin-left: auto; }
.dot { width: .55rem; height: .55rem; border-radius: 50%; background: var(--blue); }
.live[data-state="paused"] .dot { background: transparent; border: 2px solid var(--soft); }
.live[data-state="lost"] .dot { background: var(--red); border-radius: 1px; }
button {
  font: inherit; font-size: .875rem; color: var(--ink); background: var(--card); border: 1px solid var(--line);
  border-radius: 999px; padding: .3rem .9rem; cursor: pointer; min-height: 2.25rem;
}
button:hover { border-color: var(--soft); }
.state { margin: 0 0 clamp(1.75rem, 5vw, 2.75rem); }
.state p { margin: 0; }
.headline { font-size: clamp(1.75rem, 5.2vw, 2.75rem); line-height: 1.12; letter-spacing: -.022em; font-weight: 620; text-wrap: balance; }
.reason { color: var(--soft); font-size: clamp(1rem, 2.4vw, 1.125rem); margin-top: .6rem !important; max-width: 46rem; text-wrap: pretty; }
section { margin-bottom: 1.25rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1.1rem, 3vw, 1.75rem); box-shadow: var(--shadow); min-width: 0; }
h2 { font-size: .9375rem; font-weight: 620; margin: 0 0 1.1rem; }
h3 { font-size: .875rem; font-weight: 550; margin: 0 0 .9rem; color: var(--soft); display: flex; flex-wrap: wrap; justify-content: space-between; gap: .1rem 1rem; }
h3 span { font-weight: 400; }
h3 b { color: var(--ink); font-weight: 550; }
.windows { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(13.5rem, 100%), 1fr)); }
.window .name { color: var(--soft); font-size: .875rem; margin: 0 0 .15rem; }
.window .left { font-size: clamp(1.75rem, 5vw, 2.25rem); font-weight: 600; letter-spacing: -.025em; line-height: 1.15; margin: 0; }
.window .of { color: var(--soft); font-size: .875rem; margin: .1rem 0 .9rem; }
.meter { height: .5rem; border-radius: 999px; background: var(--line); overflow: hidden; }
.meter i { display: block; height: 100%; border-radius: 999px; background: var(--blue); min-width: 2px; }
.window.low .meter i { background: var(--amber-fill); }
.window.low .note { color: var(--amber); }
.note { font-size: .8125rem; color: var(--soft); margin: .6rem 0 0; min-height: 1.2rem; }
.pair { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.empty { color: var(--soft); margin: 0; max-width: 40rem; }
figure { margin: 0; }
figcaption { font-size: .875rem; color: var(--soft); margin-top: .8rem; text-wrap: pretty; }
.plot { position: relative; height: 9rem; border-bottom: 1px solid var(--line); }
.plot svg { position: absolute; inset: 0; width: 100%; height: 100%; display: block; overflow: visible; }
.bar { fill: var(--blue); }
.bar.open { fill: var(--blue-soft); }
.bar.refused { fill: var(--red); }
.limit { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; fill: none; vector-effect: non-scaling-stroke; }
.even { stroke: var(--soft); opacity: .45; stroke-width: 1.5; fill: none; vector-effect: non-scaling-stroke; }
.seen { stroke: var(--blue); stroke-width: 2.5; fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; stroke-linecap: round; }
.assumed, .ahead { stroke: var(--blue); stroke-width: 2; stroke-dasharray: 2 5; stroke-linecap: round; fill: none; vector-effect: non-scaling-stroke; }
.ahead { stroke-dasharray: 6 6; }
.ahead.short { stroke: var(--amber-fill); }
.tag { position: absolute; font-size: .75rem; line-height: 1; color: var(--soft); white-space: nowrap; background: var(--card); padding: 0 .3rem; }
.tag.limit-tag { right: 0; transform: translateY(-100%); padding: 0 0 .2rem; background: none; text-shadow: 0 0 3px var(--card), 0 0 3px var(--card), 0 0 3px var(--card); }
.tag.top { right: 0; bottom: calc(100% + .3rem); padding-right: 0; }
.axis .date { position: absolute; transform: translateX(-50%); color: var(--amber); font-weight: 550; white-space: nowrap; }
.mark { position: absolute; width: .7rem; height: .7rem; margin: -.35rem 0 0 -.35rem; border-radius: 50%; background: var(--blue); border: 2px solid var(--card); }
.cross { position: absolute; bottom: -.3rem; width: .6rem; height: .6rem; margin-left: -.3rem; background: var(--amber-fill); transform: rotate(45deg); border: 2px solid var(--card); }
.axis { position: relative; display: flex; justify-content: space-between; font-size: .75rem; color: var(--soft); margin-top: .45rem; }
.month .plot { height: 12rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .9rem 1.5rem; margin: 0 0 1.5rem; }
.facts dt { color: var(--soft); font-size: .8125rem; }
.facts dd { margin: 0; font-size: 1.125rem; font-weight: 570; }
.warn { color: var(--amber); }
.scroll { overflow-x: auto; margin: 0 -.25rem; padding: 0 .25rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: .8125rem; padding: 0 .9rem .5rem 0; white-space: nowrap; }
td { padding: .55rem .9rem .55rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.same { color: var(--soft); }
@media (min-width: 50rem) { td code { white-space: nowrap; } }
td code { font: .8125rem/1.4 ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
details { margin-top: .9rem; font-size: .8125rem; }
summary { color: var(--soft); cursor: pointer; width: fit-content; }
details table { font-size: .8125rem; margin-top: .7rem; max-width: 28rem; }
details td { padding: .2rem .9rem .2rem 0; }
footer { margin-top: 2.25rem; font-size: .875rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; }
@media (max-width: 34rem) {
  .live { margin-left: 0; order: 3; width: 100%; }
  header button { margin-left: auto; }
  .windows { gap: .75rem; }
  .window { padding: 1rem 1.1rem; display: grid; grid-template-columns: auto 1fr; column-gap: .5rem; align-items: baseline; }
  .window .name, .window .meter, .window .note { grid-column: 1 / -1; }
  .window .of { margin: 0 0 .6rem; }
  .window .note { min-height: 0; margin-top: .45rem; }
  .window .note:empty { display: none; }
  h3, h3 span { display: block; }
  .calls thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .calls tr { display: grid; grid-template-columns: 2.5rem 1fr auto; border-top: 1px solid var(--line); padding: .6rem 0; }
  .calls td { border: 0; padding: 0 .5rem 0 0; }
  .calls td.why { grid-column: 2 / -1; color: var(--soft); padding-top: .2rem; }
  .calls td.priority { display: none; }
  .calls td.n { text-align: left; }
}
@media (forced-colors: active) {
  .meter { border: 1px solid CanvasText; } .meter i, .dot, .mark, .cross { forced-color-adjust: none; }
}
@media print { button, .skip, details { display: none; } }
`;
