import { email as isEmail } from './email.ts';
import type { CreateForm } from './protocol.ts';
import { styles } from './styles.ts';
import { englishFormTexts } from './texts.ts';

/** Asks for a name and an email address. Both can be left empty. */
export const createForm: CreateForm = ({ root, texts: given, onDone }) => {
  const texts = { ...englishFormTexts, ...given };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];

  const form = withText(create('form'), '', 'ask');
  const intro = withText(create('p'), texts.askIntro);
  const name = field(texts.askName, 'name', 80);
  const email = field(texts.askEmail, 'email', 254);
  const wrong = withText(create('p'), '', 'wrong');
  const answers = withText(create('div'), '', 'answers');
  const go = withText(create('button'), texts.askContinue, 'go');
  const skip = withText(create('button'), texts.askSkip, 'link');
  intro.id = 'ask';
  form.noValidate = true;
  form.setAttribute('aria-labelledby', intro.id);
  wrong.id = 'ask-wrong';
  wrong.role = 'alert';
  email.setAttribute('aria-describedby', wrong.id);
  email.type = 'email';
  skip.type = 'button';
  answers.append(go, skip);
  form.append(intro, labelOf(name), labelOf(email), wrong, answers);

  const show = (isWrong: boolean) => {
    email.ariaInvalid = `${isWrong}`;
    wrong.textContent = isWrong ? texts.askEmailWrong : '';
  };
  email.addEventListener('input', () => show(false));
  skip.addEventListener('click', () => onDone({}));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [called, address] = [name.value.trim(), email.value.trim()];
    if (address && !isEmail.test(address)) {
      show(true);
      return email.focus();
    }
    onDone({ ...(called && { name: called }), ...(address && { email: address }) });
  });

  return {
    mount(place) {
      place?.append(form);
      // Where the field to write in would have it.
      const hasFocus = root.activeElement?.matches('.panel, textarea');
      if (place && hasFocus && !matchMedia('(pointer: coarse)').matches) name.focus();
    },
    isBegun: () => !!(name.value || email.value),
  };
};

function field(label: string, autocomplete: 'name' | 'email', maxLength: number): HTMLInputElement {
  const wrapper = withText(create('label'), label);
  const input = create('input');
  input.autocomplete = autocomplete;
  input.maxLength = maxLength;
  wrapper.append(input);
  return input;
}

const labelOf = (input: HTMLInputElement) => input.parentElement as HTMLElement;

function withText<Kind extends HTMLElement>(element: Kind, text: string, className = ''): Kind {
  return Object.assign(element, { textContent: text, className });
}

const create = <Name extends 'button' | 'div' | 'form' | 'input' | 'label' | 'p'>(name: Name) =>
  document.createElement(name);
