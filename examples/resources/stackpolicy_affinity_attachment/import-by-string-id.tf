# An inherited group, which is never deleted: <region>/<id>.
import {
  to = stackpolicy_affinity_attachment.db
  id = "RegionOne/5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15"
}
