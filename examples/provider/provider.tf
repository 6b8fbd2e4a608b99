# With OS_CLOUD set, the block can stay empty.
provider "stackpolicy" {
  cloud = "production"
}
