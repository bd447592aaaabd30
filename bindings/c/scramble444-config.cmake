# Makes the targets scramble444::shared and scramble444::static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
get_filename_component(scramble444_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
foreach(kind shared static)
    if(NOT TARGET scramble444::${kind})
        string(TOUPPER ${kind} type)
        add_library(scramble444::${kind} ${type} IMPORTED)
        set_target_properties(scramble444::${kind} PROPERTIES
            IMPORTED_LOCATION "${scramble444_lib}/libscramble444${CMAKE_${type}_LIBRARY_SUFFIX}"
            INTERFACE_INCLUDE_DIRECTORIES "${scramble444_lib}/../include")
    endif()
endforeach()
set_target_properties(scramble444::static PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
