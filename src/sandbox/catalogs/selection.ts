/** A stored selection of items. */
export interface Selection {
  readonly name: string;
}
