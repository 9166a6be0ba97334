import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

interface CodeEditorOptions {
  text: string;
  isReadOnly: boolean;
  labelledBy: string;
  describedBy: string;
  onChange: (text: string) => void;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--color-accent-ink)' },
  { tag: tags.string, color: 'var(--color-success-ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--color-running-ink)' },
]);

const look = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--color-ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--color-accent-ink)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', maxHeight: '60vh', minHeight: '6rem' },
  '.cm-content': { caretColor: 'var(--color-ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--color-ink-3)', border: 'none' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--color-selected)',
  },
});

export interface CodeEditor {
  setText(text: string): void;
  focus(from: number, to: number): void;
  destroy(): void;
}

/** CodeMirror with JSON. Tab moves the focus on, as everywhere. */
export function openCodeEditor(
  parent: HTMLElement,
  { text, isReadOnly, labelledBy, describedBy, onChange }: CodeEditorOptions,
): CodeEditor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonceOf(document)),
        lineNumbers(),
        history(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        json(),
        syntaxHighlighting(colors),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }),
        EditorState.readOnly.of(isReadOnly),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    focus(from, to) {
      view.focus();
      view.dispatch({ selection: { anchor: from, head: to } });
    },
    destroy: () => view.destroy(),
  };
}

/** The one that this page allows for style elements. */
function nonceOf({ head }: Document): string {
  return head.querySelector<HTMLElement>('[nonce]')?.nonce ?? '';
}
