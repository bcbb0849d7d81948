/** The icon of the dashboard: an arrow into a queue, readable on a light and on a dark tab. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1d4ed8"/>
<path d="M7 10h10M7 16h14M7 22h10" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
<path d="M20 11l5 5-5 5" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
