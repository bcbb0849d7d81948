/** The id of a run and the name of its workflow. Sorts by time; a few letters distinguish two runs of one instant. */
export function newRunName(now: number, random: number): string {
  const letters = Math.floor(random * 36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}-${letters}`;
}
