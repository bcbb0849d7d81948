/**
 * Draws a page over the one before it and writes only the lines that changed, so that nothing flickers. Lines are cut to the
 * width of the terminal: one that wraps would push the others out of their place.
 */
export function createRedraw(terminal: Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>) {
  let before: readonly string[] | null = null;
  let size = '';
  return (page: readonly string[]): void => {
    const { columns = 80, rows = 24 } = terminal;
    const lines = page.length > rows ? [...page.slice(0, rows - 1), '… enlarge the window for the rest'] : page;
    const cut = lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
    const now = `${columns}x${rows}`;
    if (now !== size) before = null;
    size = now;
    let text = before === null ? '\x1b[H\x1b[2J' : '';
    for (const [at, line] of cut.entries()) {
      if (before?.[at] !== line) text += `\x1b[${at + 1};1H${line}\x1b[K`;
    }
    if (before !== null && before.length > cut.length) text += `\x1b[${cut.length + 1};1H\x1b[J`;
    if (text !== '') terminal.write(`${text}\x1b[${Math.min(cut.length + 1, rows)};1H`);
    before = cut;
  };
}
