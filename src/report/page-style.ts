/** The style of the report: two columns, one on a phone, and colours with enough contrast in both schemes. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #fbfbfa; --card: #fff; --text: #1d2125; --quiet: #59636e; --rule: #e3e5e8;
  --axis: #8b949e; --listed: #8a939d; --bought: #1f6feb; --found: #1a7f37; --second: #a371f7; --limit: #cf222e; --link: #0a53c4; }
@media (prefers-color-scheme: dark) { :root { --ground: #101316; --card: #171b1f; --text: #e6eaee; --quiet: #9ba5af;
  --rule: #2b3138; --axis: #6b7580; --listed: #8b949e; --bought: #58a6ff; --found: #56d364; --second: #bc8cff;
  --limit: #ff7b72; --link: #79b8ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 40px; }
h1 { margin: 0; font-size: 26px; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 48px 0 4px; font-size: 19px; letter-spacing: -0.005em; }
p { margin: 4px 0 0; }
.period { font-size: 17px; }
.quiet, .note, footer { color: var(--quiet); }
.note, .about, .made { font-size: 13px; }
.about { max-width: 78ch; margin-bottom: 14px; color: var(--quiet); }
nav ul { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 18px 0 0; padding: 0; list-style: none; font-size: 14px; }
a { color: var(--link); text-underline-offset: 3px; }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--bought); outline-offset: 2px; }
.tiles { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 1px; margin: 28px 0 0; padding: 0;
  background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
.tiles div { padding: 14px 16px; background: var(--card); }
.tiles dt { font-size: 13px; color: var(--quiet); }
.tiles dd { margin: 0; font-size: 13px; color: var(--quiet); overflow-wrap: anywhere; }
.tiles dd.value { font-size: 21px; line-height: 1.35; font-weight: 600; color: var(--text); letter-spacing: -0.01em; }
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; align-items: start; }
.grid.single { grid-template-columns: minmax(0, 1fr); }
figure { margin: 0; padding: 16px 18px 14px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  min-width: 0; break-inside: avoid; }
figcaption { font-weight: 600; line-height: 1.35; overflow-wrap: anywhere; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 6px 0 0; padding: 0; list-style: none; font-size: 13px; }
.legend li { display: flex; align-items: center; gap: 7px; }
.swatch { width: 18px; height: 0; border-top: 2px solid var(--swatch); }
.swatch.dashed { border-top-style: dashed; }
.swatch.block { width: 11px; height: 11px; border: 0; border-radius: 2px; background: var(--swatch); }
.plot { display: block; width: 100%; height: auto; margin-top: 8px; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.plot text { fill: var(--quiet); }
.narrow, .single .full + .wide { display: none; }
.grid + .grid { margin-top: 16px; }
details { margin-top: 10px; }
summary { cursor: pointer; font-size: 13px; color: var(--quiet); }
.scroll { max-height: 340px; margin-top: 8px; overflow: auto; }
table { width: 100%; border-collapse: collapse; font-size: 13px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: var(--card); color: var(--quiet); font-weight: 500; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 0; }
td { white-space: nowrap; }
.numeric { text-align: right; }
.foreign { min-width: 14ch; max-width: 60ch; white-space: normal; overflow-wrap: anywhere; }
.bar { width: 30%; min-width: 12ch; }
td.bar { position: relative; }
td.bar span { display: inline-block; float: left; width: calc((100% - 8ch) * var(--share)); min-width: 1px; height: 12px;
  margin-top: 4px; border-radius: 2px; background: var(--bought); opacity: 0.55; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 48px; padding-top: 16px; padding-bottom: 40px; font-size: 13px; }
@media (max-width: 1120px) { .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
@media (max-width: 900px) {
  .grid { grid-template-columns: minmax(0, 1fr); }
  .full { display: none; }
  .single .full + .wide { display: block; }
  .wide { max-width: 640px; }
}
@media (max-width: 560px) {
  header, main, footer { padding-left: 14px; padding-right: 14px; }
  header { padding-top: 24px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tiles dd.value { font-size: 20px; }
  figure { padding: 14px 14px 12px; }
  .wide, .single .full + .wide { display: none; }
  .narrow { display: block; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --card: #fff; --text: #000; --quiet: #444; --rule: #ccc; --axis: #777;
    --listed: #777; --bought: #1f6feb; --found: #1a7f37; --second: #a371f7; --limit: #cf222e; }
  body { font-size: 10pt; }
  header, main, footer { max-width: none; padding: 0; }
  nav, details { display: none; }
  h2 { margin-top: 24px; break-after: avoid; }
  .grid { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .grid.single { grid-template-columns: minmax(0, 1fr); }
  .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .full, .wide { display: block; max-width: none; }
  .narrow, .single .full + .wide { display: none; }
  .scroll { max-height: none; overflow: visible; }
  td { white-space: normal; }
  td.bar span, .swatch { print-color-adjust: exact; }
  @page { margin: 14mm; }
}
`;
