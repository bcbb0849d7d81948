/** That of Temporal for what names none: between 1, the first, and 5. */
export const DEFAULT_PRIORITY = 3;
