import { planOffers } from "./billing/billing-offers.tsx";
import type { PagesVersion } from "./version.ts";

export const CURRENT_PAGES: PagesVersion = {
	card: { offers: planOffers, choose: async ({ form }) => form.get("price_id") ?? "" },
	routes: () => [],
};
