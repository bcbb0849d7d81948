/** The only style sheet. Words break only in cells that allow it; nothing is wider than the screen. */
export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: #c8ccd2; --soft: #f3f5f7; --quiet: #4b5563;
  --accent: #0b57d0; --on-accent: #ffffff; --good: #116b2f; --bad: #a4161a; --busy: #7a4b00; --bar: #3b74d6;
  --page: #ffffff; --text: #16191d; --field: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #1c2128; --quiet: #a9b4c0;
  --accent: #8ab4ff; --on-accent: #0b1a33; --good: #6ddc8b; --bad: #ff9b9b; --busy: #f0c26e; --bar: #6d9ff0;
  --page: #0f1216; --text: #e8ebef; --field: #161b21; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: center;
  padding: .6rem max(1rem, calc((100% - 84rem) / 2 + 1rem));
  border-bottom: 1px solid var(--line); background: var(--soft); }
header .product { margin: 0; font-weight: 700; display: flex; align-items: center; gap: .5rem; }
.logo { height: 2rem; max-width: 10rem; object-fit: contain; }
header form { margin-inline-start: auto; }
header nav { flex: 1 0 100%; }
.outside header nav { flex: 0 1 auto; margin-inline-start: auto; }
.outside main { max-width: 30rem; padding: 8vh 1rem 2rem; }
.outside main .product { display: flex; flex-direction: column; align-items: center; gap: .75rem; text-align: center; font-size: 1.25rem;
  font-weight: 700; margin: 0 0 2rem; } .outside .logo { height: 4rem; max-width: 100%; }
.outside .notice { margin-top: 1rem; } .outside button.primary { margin-top: .5rem; }
header ul { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: 0; padding: 0; }
header li a { display: inline-block; padding: .35rem 0; }
header [aria-current] { color: inherit; font-weight: 700; text-decoration-thickness: 3px; text-underline-offset: .3em; }
.who { max-width: 20ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
main { max-width: 84rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2, caption { font-size: 1.15rem; font-weight: 700; text-align: start; margin: 1.75rem 0 .5rem; line-height: 1.3; }
caption { margin: 0; padding: 1.75rem 0 .5rem; }
.skip { position: absolute; left: -999rem; } .skip:focus { position: static; display: inline-block; padding: .5rem 1rem; }
.quiet { color: var(--quiet); }
.notice { border: 1px solid var(--line); border-inline-start: 6px solid; padding: .6rem 1rem; margin: 0 0 1rem; }
.notice.good { border-inline-start-color: var(--good); } .notice.bad { border-inline-start-color: var(--bad); }
table { border-collapse: collapse; width: 100%; margin-bottom: 1rem; }
th, td { text-align: start; padding: .45rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--quiet); font-size: .9rem; border-bottom-width: 2px; vertical-align: bottom; }
tbody th { font-weight: inherit; }
.short, .number, time { white-space: nowrap; }
thead .short, thead .number { white-space: normal; }
.text { overflow-wrap: anywhere; min-width: 12ch; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: .75rem; margin: 0 0 1rem; }
.facts div { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; }
dt { color: var(--quiet); font-size: .9rem; } dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.big { font-size: 1.6rem; font-weight: 700; margin: 0; line-height: 1.3; }
.nowrap { white-space: nowrap; }
.state { white-space: nowrap; font-weight: 600; } .state::before { content: "● "; }
.completed, .done { color: var(--good); } .completed::before, .done::before { content: "✓ "; }
.failed, .restored { color: var(--bad); } .failed::before, .restored::before { content: "✕ "; }
.partial { color: var(--busy); } .partial::before { content: "◐ "; }
.queued::before { content: "○ "; } .processing::before, .executing::before { content: "◌ "; }
form { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: 0 0 1rem; }
form.column { flex-direction: column; align-items: stretch; max-width: 28rem; }
header form, td form { margin-block: 0; align-items: center; } td form { display: inline-flex; }
label { display: grid; gap: .15rem; max-width: 100%; } label.wide { flex: 1 1 18rem; }
input, select, button, .button { font: inherit; padding: .4rem .7rem; min-height: 2.5rem; max-width: 100%;
  border: 1px solid var(--quiet); border-radius: .35rem; background: var(--field); color: var(--text); }
button, .button { background: var(--soft); color: var(--text); cursor: pointer; text-decoration: none; display: inline-flex; align-items: center; justify-content: center; }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.danger, .button.danger { border-color: var(--bad); color: var(--bad); }
[hidden] { display: none !important; }
.start { border: 1px solid var(--line); border-radius: .4rem; padding: 0 1rem; margin-bottom: 1rem; }
.start h2 { margin-top: 1rem; } .start ol { padding-inline-start: 1.3rem; } h3 { font-size: 1rem; margin: .75rem 0 .25rem; }
.filters small { white-space: nowrap; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
code, pre { font: .95em/1.45 ui-monospace, monospace; }
code { overflow-wrap: anywhere; } .select-all { user-select: all; -webkit-user-select: all; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.key { display: block; font-size: 1.15rem; padding: .8rem; border: 2px solid var(--good); border-radius: .4rem; }
.pager [aria-current] { color: inherit; font-weight: 700; }
.pager { display: flex; flex-wrap: wrap; gap: .4rem 1rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figcaption { font-weight: 700; } figure svg { display: block; width: 100%; height: auto; }
svg .bar { fill: var(--bar); } svg .base { stroke: var(--line); }
details { margin: .4rem 0; } summary { cursor: pointer; padding: .3rem 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (min-width: 80rem) { .filters { flex-wrap: nowrap; } .filters > * { flex: 0 1 auto; min-width: 0; } .filters label.wide { flex: 1 1 8rem; }
  .filters .button, .filters button { flex: 0 0 auto; white-space: nowrap; } .filters input { width: 100%; } }
@media (max-width: 56rem) {
  table, tbody, tr, td, tbody th { display: block; }
  caption { display: block; }
  thead { position: absolute; left: -999rem; }
  tbody tr { border: 1px solid var(--line); border-radius: .4rem; margin-bottom: .7rem; padding: .4rem .2rem;
    display: flex; flex-wrap: wrap; }
  tbody th, td { flex: 1 0 40%; border: 0; padding: .15rem .7rem; text-align: start; }
  tr .text, :is(th, td):has(a, form, .actions) { flex: 1 1 100%; min-width: 0; }
  td.none { display: none; }
  tbody th::before, td::before { content: attr(data-name); color: var(--quiet); font-size: .8rem; display: block; line-height: 1.2; }
  tbody th > span, td > span { display: block; min-width: 0; overflow-wrap: anywhere; }
  .number { text-align: start; }
  .short > span { white-space: normal; overflow-wrap: break-word; }
  .short > span a { font-size: .85rem; white-space: nowrap; }
  header { padding-block: .4rem; } header li a { padding: .2rem 0; } header ul { gap: 0 .9rem; font-size: .95rem; }
  .inside .product { flex: 1 1 0; min-width: 10rem; line-height: 1.2; font-size: .95rem; }
  .who { max-width: 10ch; } header button { min-height: 2rem; padding: .2rem .6rem; font-size: .9rem; } header form { gap: .5rem; }
  h1 { font-size: 1.3rem; } .facts { gap: 0; }
  .facts div { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; border-width: 0 0 1px; border-radius: 0; padding: .35rem 0; }
  .facts dd { text-align: end; min-width: 0; }
}
`;
