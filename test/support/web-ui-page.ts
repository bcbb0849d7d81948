import type { Page } from 'playwright-core';

/*
 * Scripts that run in the page. They are texts, because the types of a browser are not among ours.
 */

/** Stores what the Web UI keeps in the browser, before a page begins. */
export const storeSettings = (settings: Readonly<Record<string, unknown>>): { readonly content: string } => ({
  content: `for (const [name, value] of Object.entries(${JSON.stringify(settings)}))
    localStorage.setItem(name, JSON.stringify(value));`,
});

const READ_FIRST_SCREEN = `(() => {
  const lines = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent.trim();
    if (text === '') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { top, left, height } = range.getBoundingClientRect();
    if (height > 0 && top >= 0 && top + height <= innerHeight && left < innerWidth) lines.push(text);
  }
  return lines.join('\\n');
})()`;

/** The text of all that lies within the window, one line for each element. */
export const readFirstScreen = (page: Page): Promise<string> => page.evaluate(READ_FIRST_SCREEN);

/** A picture as WebP, a third of the size of a PNG. */
export async function takePicture(page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString('base64');
  const blank = await page.context().newPage();
  try {
    const url = await blank.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${png}';
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.85);
    })()`);
    return Buffer.from(url.split(',')[1] ?? '', 'base64');
  } finally {
    await blank.close();
  }
}
