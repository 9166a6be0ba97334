/** The texts of the widget in one language. */
export interface Translation {
  /** Shown where the customization has the default text. */
  greeting_text: string;
  placeholder_text: string;
  /** Those of `englishTexts` in packages/widget/src/panel/texts.ts, by the same keys. */
  texts: Readonly<Record<string, string>>;
}
