export interface SpecPage {
  readonly path: string;
  readonly family: string;
  readonly title: string;
  readonly text: string;
}

export function listSpecPages(): SpecPage[];
export function formatSpecIndex(): string;
