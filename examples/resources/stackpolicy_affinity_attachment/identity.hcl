import {
  to = stackpolicy_affinity_attachment.db
  identity = {
    region         = "RegionOne"
    servergroup_id = "5d1a2f04-86a4-4e1b-9c61-0b3f2c7e8a15"
    created        = true # it is deleted with the attachment
  }
}
