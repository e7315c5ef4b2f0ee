export function cachedPackages(...packages: string[]): string;
export function npmEnvironment(): NodeJS.ProcessEnv;
export function toolsNode(): string;
