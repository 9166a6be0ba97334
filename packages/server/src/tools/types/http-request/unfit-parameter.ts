/** A parameter that cannot be inserted; the message is for the model. */
export class UnfitParameter extends Error {}
