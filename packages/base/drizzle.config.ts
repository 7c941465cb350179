/* drizzle-kit reads this from the root: `npm run migration`. make-migration.ts corrects its output. */
export default {
	dialect: "sqlite",
	schema: "./packages/base/database/schema/**/*.ts",
	out: "./drizzle",
};
