import type { VisitorDetails } from '@svc/contract/end-user-details';
import type { Texts } from '../panel/texts.ts';

/** What the panel gives the script of the form, which arrives where a visitor is asked. */
export interface FormContext {
  root: ShadowRoot;
  /** The panel's own, with the translations of those of the form. */
  texts: Texts;
  /** The visitor has answered, or does not want to. */
  onDone(details: Pick<VisitorDetails, 'name' | 'email'>): void;
}

export interface VisitorForm {
  /** Puts the form into an element in place of the field to write in. */
  mount(place: HTMLElement | null): void;
  /** Whether something was typed. */
  isBegun(): boolean;
}

export type CreateForm = (context: FormContext) => VisitorForm;
