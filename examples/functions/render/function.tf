locals {
  # web-0 listens in RegionOne; the shell and nginx see ${HOME} and {name}.
  user_data = provider::stackpolicy::render(
    "echo {name} in {region} > $${HOME}/name; echo '\\{name}'",
    { name = "web-0", region = "RegionOne" },
  )
}
