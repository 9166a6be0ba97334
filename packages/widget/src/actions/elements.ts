/** Lines on a grid of 24. */
const paths = {
  thumb: 'M7 11v9H4v-9zl4-8a2.5 2.5 0 0 1 2.5 2.5V9h5a2 2 0 0 1 2 2.4l-1.4 7a2 2 0 0 1-2 1.6H7',
  again: 'M5 5v5h5M5 10a8 8 0 1 1-1 4',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  send: 'M12 19V5M6 11l6-6 6 6',
  step: 'M14 6l-6 6 6 6',
  close: 'M6 6l12 12M18 6L6 18',
};

export const create = <Name extends 'button' | 'div' | 'form' | 'span' | 'textarea'>(
  name: Name,
  className = '',
) => Object.assign(document.createElement(name), { className });

/** Its name is said when somebody points at it, too. */
export function button(
  picture: keyof typeof paths,
  ariaLabel: string,
  onClick: () => void,
  className = '',
): HTMLButtonElement {
  const element = Object.assign(create('button', className), { type: 'button', ariaLabel, title: ariaLabel });
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS(icon.namespaceURI, 'path');
  icon.setAttribute('class', 'icon');
  icon.setAttribute('viewBox', '0 0 24 24');
  path.setAttribute('d', paths[picture]);
  icon.append(path);
  element.append(icon);
  element.addEventListener('click', onClick);
  return element;
}

interface EditorInput {
  name: string;
  text?: string;
  maxLength: number;
  /** The names of the buttons, and what they do. */
  cancel: [string, () => void];
  send: [string, (text: string) => unknown];
}

/** A field like the one that messages are written in. It sends no empty text. */
export function createEditor({ name, text, maxLength, cancel, send }: EditorInput): HTMLFormElement {
  const form = create('form', 'composer');
  const field = Object.assign(create('textarea'), {
    value: text ?? '',
    placeholder: name,
    dir: 'auto',
    rows: text ? 3 : 2,
    maxLength,
    ariaLabel: name,
  });
  const submit = () => {
    const written = field.value.trim();
    if (written) send[1](written);
  };
  form.append(field, button('close', ...cancel, 'tool'), button('send', send[0], submit, 'send'));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.isComposing) return;
    // It closes the editor only.
    event.stopPropagation();
    cancel[1]();
  });
  return form;
}
