import { type Html, html } from './html.ts';

export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; justify-content: space-between; }
table { border-collapse: collapse; width: 100%; margin-bottom: 1rem; }
th, td { text-align: start; padding: .3rem .6rem; border-bottom: 1px solid #8886; overflow-wrap: anywhere; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; }
form { display: inline-flex; gap: .5rem; align-items: end; flex-wrap: wrap; }
label { display: grid; } input, button { font: inherit; padding: .3rem .6rem; }
.notice { border: 2px solid; padding: .6rem 1rem; } code { font-size: 1.05em; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
`;

/** A whole page. `aside` stands beside the heading, for example the way out. */
export function page(title: string, content: Html, aside: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Queued URL Submission Service</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><h1>${title}</h1>${aside}</header>
<main>
${content}
</main>
</body>
</html>
`.text;
}
