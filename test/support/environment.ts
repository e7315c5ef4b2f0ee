// Owns what tests take over from whoever runs them: nothing that changes what the product prints.

for (const name of ["CI", "COLOR", "FORCE_COLOR", "NO_COLOR"]) delete process.env[name];
