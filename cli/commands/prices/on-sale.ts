import { defineLeaf } from "../../leaf.ts";
import { PRICE_ARGS, setOnSale } from "./set-on-sale.ts";

export const onSale = defineLeaf({
	summary: "Put a price on sale again",
	examples: ["svc prices on-sale pln_1 pri_1"],
	args: PRICE_ARGS,
	run: ({ args }, context) => setOnSale(args, true, context),
});
