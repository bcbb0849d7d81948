/** Where a page stands, as the API shows it. A page behind the last is empty, not an error. */
export function pagination(page: number, limit: number, total: number) {
  return { page, limit, total, total_pages: Math.ceil(total / limit) };
}
