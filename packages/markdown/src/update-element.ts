/**
 * Makes what an element shows equal to another one, which is used up. Text is only ever added at the end, so everything before the
 * first difference stays, with the selection in it. The first children may be settled: they are left out.
 */
export function updateElement(shown: Element, wanted: Element, settled = 0): void {
  const old = [...shown.childNodes].slice(settled);
  const fresh = [...wanted.childNodes];
  let same = fresh.findIndex((node, index) => !old[index]?.isEqualNode(node));
  if (same === -1) same = fresh.length;
  else if (updateNode(old[same], fresh[same])) same += 1;
  for (const node of old.slice(same)) node.remove();
  for (const node of fresh.slice(same)) shown.append(node);
}

function updateNode(old: Node | undefined, fresh: Node | undefined): boolean {
  if (old?.nodeName !== fresh?.nodeName) return false;
  if (old instanceof Text && fresh instanceof Text) {
    old.data = fresh.data;
    return true;
  }
  if (!(old instanceof Element && fresh instanceof Element)) return false;
  // Kept where only its content grew, so that it keeps the focus and how far it was scrolled.
  const isSame = old.cloneNode().isEqualNode(fresh.cloneNode());
  if (isSame) updateElement(old, fresh);
  return isSame;
}
