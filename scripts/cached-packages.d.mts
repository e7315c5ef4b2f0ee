export function cachedPackages(...packages: string[]): string;
export function toolsNode(): string;
