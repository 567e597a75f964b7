// All items of a list that the server answers in pages.

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

/** The pages of a list, at most so many; `infoOf` finds what says whether there is another one. */
export async function pagesOf<Page>(
  ask: (after: string | null) => Promise<Page>,
  infoOf: (page: Page) => PageInfo,
  most: number,
): Promise<[Page, ...Page[]]> {
  const first = await ask(null);
  const pages: [Page, ...Page[]] = [first];
  for (let info = infoOf(first); info.hasNextPage && pages.length < most; ) {
    const page = await ask(info.endCursor);
    pages.push(page);
    info = infoOf(page);
  }
  return pages;
}
