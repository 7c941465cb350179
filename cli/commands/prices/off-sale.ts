import { defineLeaf } from "../../leaf.ts";
import { PRICE_ARGS, setOnSale } from "./set-on-sale.ts";

export const offSale = defineLeaf({
	summary: "Take a price off sale",
	notes: "Those who pay it go on paying it. Undone by: svc prices on-sale",
	examples: ["svc prices off-sale pln_1 pri_1"],
	args: PRICE_ARGS,
	run: ({ args }, context) => setOnSale(args, false, context),
});
