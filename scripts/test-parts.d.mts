/** The files that only `npm run test:all` and CI run, each with what makes it long. */
export const CI_PART: Readonly<Record<string, string>>;
