export type Notes = ReturnType<typeof createNotes>;

export const maxNotes = 200;
const maxNames = 20;
const maxCharacters = 4000;

/** Notes for the owner; the same note on several tools is listed once, with their names. */
export function createNotes() {
  let entries: { note: string; names: string[] }[] = [];
  return {
    add(note: string, name: string): void {
      const known = entries.find((entry) => entry.note === note);
      if (!known) entries.push({ note, names: [name] });
      else if (!known.names.includes(name)) known.names.push(name);
    },
    addFirst(note: string, names: string[]): void {
      entries = [{ note, names }, ...entries];
    },
    /** The notes as sentences. A note that applies to all `allTools` tools does not list their names. */
    list(allTools: number): string[] {
      const sentences = entries.map(({ note, names }) => {
        const isOfAll = allTools > 1 && names.length === allTools;
        return (isOfAll ? note : `${note} (${enumerate(names)})`).slice(0, maxCharacters).toWellFormed();
      });
      if (sentences.length <= maxNotes) return sentences;
      return [
        ...sentences.slice(0, maxNotes - 1),
        `${sentences.length - maxNotes + 1} more notes are left out.`,
      ];
    },
  };
}

function enumerate(names: string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}
