import { GIVABLE_ROLES, ROLES } from "@svc/base/enumerations";

import { oneOf } from "@svc/variants/shape";

export const memberRole = oneOf("Role", ROLES);

/** What a member can be made; ownership is transferred instead. */
export const grantedRole = oneOf("GrantedRole", GIVABLE_ROLES);
