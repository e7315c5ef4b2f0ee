// Vite resolves stylesheets; the compiler only needs to know that they may be imported.
declare module "*.css";
