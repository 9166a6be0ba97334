/** A parameter that cannot be put where it belongs, in words for the model. */
export class UnfitParameter extends Error {}
