# The target `product`: what a user runs, which is the program and every plugin, without tests.
include_guard(GLOBAL)

add_custom_target(product)
if(TARGET mqbridge)
    add_dependencies(product mqbridge)
endif()
foreach(name IN LISTS mqb_all_plugins)
    if(TARGET plugin_${name})
        add_dependencies(product plugin_${name})
    endif()
endforeach()
