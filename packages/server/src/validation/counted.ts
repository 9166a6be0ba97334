const singulars = { entries: 'entry', characters: 'character', fields: 'field' } as const;

/** `1 entry`, `2 entries`. */
export function counted(count: number, noun: keyof typeof singulars): string {
  return `${count} ${count === 1 ? singulars[noun] : noun}`;
}
