/** Limits of Temporal for the texts that its Web UI shows, in bytes of UTF-8: a longer one fails the request. */
const SUMMARY_BYTES = 400;
const DETAIL_BYTES = 2_400;

/**
 * A summary of a workflow, activity or timer, cut to what Temporal accepts. For texts that the service or a site wrote.
 * `ending` stays whole.
 */
export const toSummary = (text: string, ending = ''): string =>
  cutToBytes(text.replaceAll(/\s+/g, ' '), SUMMARY_BYTES - countTextBytes(ending)) + ending;

/** One value of the details of a workflow: eight of them fit into the 20,000 bytes that Temporal accepts. */
export const toDetail = (text: string): string => cutToBytes(text, DETAIL_BYTES);

/** SQL databases of Temporal store the value of a search attribute in 255 characters. */
const KEYWORD_CHARACTERS = 200;

/** The value of a search attribute, cut to what Temporal accepts. For references and states, which the service chose. */
export const toKeyword = (text: string): string => {
  const characters = [...text.toWellFormed()];
  return characters.length <= KEYWORD_CHARACTERS ? text : characters.slice(0, KEYWORD_CHARACTERS).join('');
};

const ELLIPSIS = '…';

/** A UTF-16 unit has three bytes at most; a character of two units has four. */
const MOST_UNIT_BYTES = 3;

/** Cuts between characters. Pure, without a TextEncoder: workflows run it too. */
function cutToBytes(text: string, most: number): string {
  if (text.length * MOST_UNIT_BYTES <= most) return text.toWellFormed();
  let bytes = 0;
  let kept = '';
  for (const character of text.toWellFormed()) {
    const size = countTextBytes(character);
    if (bytes + size > most) {
      while (countTextBytes(kept) > most - countTextBytes(ELLIPSIS)) kept = kept.replace(/.$/su, '');
      return `${kept}${ELLIPSIS}`;
    }
    bytes += size;
    kept += character;
  }
  return kept;
}

function countTextBytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
