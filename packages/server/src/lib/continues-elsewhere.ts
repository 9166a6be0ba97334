/** The reason of an abort after which another node continues the same work, so that nothing may be undone or cancelled. */
export class ContinuesElsewhere extends Error {}
