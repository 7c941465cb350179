import type { AppTax } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { UsageError } from "../../kit/exit.ts";
import { oneOf, readChoice } from "../../kit/line/choice.ts";
import { changeApp } from "./change.ts";
import { APP_ID } from "./columns.ts";

const MODES = ["none", "automatic"] as const satisfies readonly AppTax["mode"][];
const BEHAVIORS = ["inclusive", "exclusive"] as const satisfies readonly AppTax["behavior"][];

export const setSale = defineCommand({
	summary: "Set the tax of what an App sells, and whether its buyers may enter promotion codes",
	notes:
		"It holds for what is bought from now on: what was bought before keeps its own. The Owner alone may change it. Promotion codes are the\n" +
		"payment processor's own; the simulated one has none.",
	examples: [
		"svc apps set-sale app_1 --tax automatic --tax-behavior inclusive",
		"svc apps set-sale app_1 --promotion-codes on --field promotion_codes",
	],
	args: {
		...APP_ID,
		tax: { type: "string", valueHint: "none|automatic", description: "Whether the payment processor takes tax" },
		"tax-behavior": {
			type: "string",
			valueHint: "inclusive|exclusive",
			description: "Whether prices hold the tax, or it comes on top",
		},
		"promotion-codes": { type: "string", valueHint: "on|off", description: "Whether checkouts take promotion codes" },
	},
	run({ args }, context) {
		const { id } = args;
		const tax: Partial<AppTax> = {
			...(args.tax !== undefined && { mode: oneOf("--tax", args.tax, MODES) }),
			...(args["tax-behavior"] !== undefined && {
				behavior: oneOf("--tax-behavior", args["tax-behavior"], BEHAVIORS),
			}),
		};
		const codes = readChoice("promotion-codes", args["promotion-codes"], ["on", "off"])["promotion-codes"];
		const taxed = Object.keys(tax).length > 0 && { tax };
		if (!taxed && codes === undefined) throw new UsageError("Name what is to change, as --tax.");
		const changes = { ...taxed, ...(codes !== undefined && { promotionCodes: codes === "on" }) };
		return changeApp(context, {
			advice: { forbidden: "Only the Owner may; see who that is: svc members list --app <id>" },
			send: (apps, options) => apps.edit(id, changes, options),
		});
	},
});
