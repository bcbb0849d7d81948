import { type Html, html } from './html.ts';
import type { View } from './view.ts';

/** The only script: pages work without it, and then its buttons are not there. */
export const COPY_SCRIPT = `if (navigator.clipboard) for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
  });
}
`;

/** Copies the text of the element with this id. */
export const copyButton = ({ text }: View, id: string): Html =>
  html`<button type="button" class="copy" data-copy="${id}" data-done="${text.common.copied}" hidden>${text.common.copy}</button>`;
