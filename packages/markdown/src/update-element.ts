/** Makes an element's content equal to another's and keeps the nodes that are the same, with the selection in them. */
export function updateElement(shown: Element, wanted: Element): void {
  const fresh = [...wanted.childNodes];
  for (const [index, node] of fresh.entries()) {
    const old = shown.childNodes[index];
    if (!old) shown.append(node);
    else if (old instanceof Text && node instanceof Text) updateText(old, node.data);
    else if (isSameElement(old, node)) updateElement(old, node as Element);
    else old.replaceWith(node);
  }
  while (shown.childNodes.length > fresh.length) shown.lastChild?.remove();
}

function updateText(shown: Text, wanted: string): void {
  if (wanted.startsWith(shown.data)) shown.appendData(wanted.slice(shown.data.length));
  else shown.data = wanted;
}

function isSameElement(one: Node, other: Node): one is Element {
  return one instanceof Element && one.cloneNode(false).isEqualNode(other.cloneNode(false));
}
