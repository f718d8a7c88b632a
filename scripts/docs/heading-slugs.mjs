/**
 * The anchors of headings as GitHub makes them, so that a link works there and on the site. Of equal headings the later ones
 * are numbered.
 */
export function headingSlugs(headings) {
  const used = new Map();
  return headings.map((heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
