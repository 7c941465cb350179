import type { PagesVersion } from "@svc/pages/version";
import { imagePages } from "../../until-4.4/image-pages.ts";
import type { VisibleImageStore } from "../../until-4.4/visible-images-store.ts";
import { appPlanRoutes } from "./app-plan-pages.tsx";
import { ownCards } from "./own-card-pages.ts";
import { tierCardVersion } from "./tier-offers.tsx";

export function legacyPages(visibleImages: VisibleImageStore): PagesVersion {
	return {
		card: tierCardVersion,
		routes: (rooms) => [...imagePages(rooms, visibleImages), ...ownCards(rooms), ...appPlanRoutes(rooms)],
	};
}
