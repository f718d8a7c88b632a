/** Teams by projects, and what moves mean for teams. */
export const accessStyles = `
.matrix{width:auto;min-width:min(100%,30rem)}
.matrix :is(th,td){border-right:1px solid var(--line);min-width:6rem}
.matrix th span{display:block;width:max-content;max-width:14rem;overflow-wrap:break-word}
.matrix tr>:last-child,.levels tr>:last-child{border-right:0}
.matrix tbody th,.matrix .corner{position:sticky;left:0;background:var(--raised);z-index:1}
.matrix summary{list-style:none;border-radius:4px}
.matrix summary::-webkit-details-marker{display:none}
.matrix summary{text-decoration:underline dotted;text-underline-offset:.25em;white-space:nowrap}
.matrix .sign{width:1.2rem;height:1.2rem;margin-right:.4rem}
.matrix .changed.create{background:var(--gain-ground)}
.matrix .changed.update{background:var(--change-ground)}
.matrix .changed.delete{background:var(--loss-ground)}
.matrix .permissions{margin-top:.35rem;min-width:15rem;font-size:.82rem}
.matrix .changed summary{font-weight:600}
.scroll:has(>.matrix,>.levels){width:fit-content}
.no-access{color:var(--muted)}
.levels{font-size:.87rem;width:auto}
.moves{margin-top:.4rem}
#content h4:has(+.moves){margin-top:1.5rem}
.move{padding:.7rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
.move-teams{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:.7rem 1.5rem;margin:.5rem 0 0 1rem}
.move-teams .permissions{margin-left:.2rem;font-size:.85rem}
@media (max-width:40rem){.matrix :is(th,td){padding:.4rem .5rem;min-width:5rem}.matrix th span{max-width:8rem}}
`;
