/* Read by drizzle-kit from the root: `bun run migration`. What it writes is mended by make-migration.ts. */
export default {
	dialect: "sqlite",
	schema: "./packages/base/database/schema/*.ts",
	out: "./drizzle",
};
